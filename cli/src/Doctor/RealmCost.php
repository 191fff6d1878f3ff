<?php

declare(strict_types=1);

namespace Howdah\Cli\Doctor;

use Howdah\Cli\Failure;
use Howdah\Cli\Installation;
use Howdah\Cli\PhpRuntime;

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

    /** @param array<string, string> $ini */
    public static function measure(Installation $installation, array $ini): self
    {
        $one = self::sizes($installation, $ini, 1);
        $many = self::sizes($installation, $ini, self::REALMS);
        $more = self::REALMS - 1;

        return new self(
            $one['maps'],
            max(0, $many['maps'] - $one['maps']) / $more,
            $one['address_space'],
            intdiv(max(0, $many['address_space'] - $one['address_space']), $more),
            intdiv(max(0, $many['private'] - $one['private']), $more),
        );
    }

    /**
     * @param  array<string, string> $ini
     * @return array{maps: int, address_space: int, private: int} of a process with so many realms; bytes
     */
    private static function sizes(Installation $installation, array $ini, int $realms): array
    {
        $answer = PhpRuntime::run($installation, $ini, [
            '--memory',
            "--realms=$realms",
            "--warm=$realms",
            $installation->resource('size.php'),
        ]);
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
