<?php

declare(strict_types=1);

namespace Howdah\Cli\Doctor;

use Howdah\Cli\Failure;
use Howdah\Cli\Installation;
use Howdah\Cli\PhpRuntime;
use Howdah\Cli\Program;
use Howdah\Cli\ServeOptions;

/** What PHP takes before it serves, and what each realm adds: measured on this machine, with its extensions. */
final readonly class RealmCost
{
    private const REALMS = 9;

    private function __construct(
        public int $baseMaps,
        public float $maps,
        public int $baseAddressSpace,
        public int $addressSpace,
        public int $memory,
    ) {
    }

    /** @param list<string> $shared extensions for which PHP would not start, but that cost what they cost */
    public static function measure(Installation $installation, ServeOptions $options, array $shared = []): self
    {
        $one = self::sizes($installation, $options->engineArguments(1, $shared), 1);
        // One realm at a time may be all that PHP starts for.
        $most = min(self::REALMS, $options->concurrency);
        $many = $most === 1 ? $one : self::sizes($installation, $options->engineArguments($most, $shared), $most);
        $more = max(1, $most - 1);

        return new self(
            $one['maps'],
            max(0, $many['maps'] - $one['maps']) / $more,
            $one['address_space'],
            intdiv(max(0, $many['address_space'] - $one['address_space']), $more),
            intdiv(max(0, $many['private'] - $one['private']), $more),
        );
    }

    /**
     * @param  list<string> $arguments of the engine
     * @return array{maps: int, address_space: int, private: int} of a process with so many realms; bytes
     */
    private static function sizes(Installation $installation, array $arguments, int $realms): array
    {
        $measure = ['--memory', "--warm=$realms", $installation->resource('size.php')];
        $answer = Program::run([$installation->runner(), ...$arguments, ...$measure]);
        $pattern = '/^size maps=(?<maps>\d+) address_space=(?<address_space>\d+) private=(?<private>\d+)$/m';
        $born = preg_match('/ births=(\d+)/', $answer->output, $match) === 1 ? (int) $match[1] : 0;
        if ($answer->status !== 0 || $born < $realms || preg_match($pattern, $answer->output, $match) !== 1) {
            throw new Failure("$realms realms cannot be made: " . (implode('; ', PhpRuntime::messages($answer->errors))
                ?: "{$installation->runner()} ended with exit status {$answer->status}"));
        }

        return [
            'maps' => (int) $match['maps'],
            'address_space' => (int) $match['address_space'],
            'private' => (int) $match['private'],
        ];
    }
}
