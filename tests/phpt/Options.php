<?php

declare(strict_types=1);

namespace Howdah\Tests\Phpt;

use Howdah\Cli\Jit;

/** What the command line asks for. */
final class Options
{
    public const USAGE = <<<'TEXT'
        Usage: tests/phpt/run [options]
          --chaos=1          seed of the chaos scheduler; 0: no run with it
          --audit=0          the round without chaos asks a server under the audit of each Nth test of PHP itself and of all
                             that reach libraries of C; 1: of all tests; 0: of none
          --reference=all    php-fpm is asked of all tests, not only of what Howdah fails and of a sample
          --rewind=SEED      a worker script with rewind includes the tests, in an order that SEED chooses; php-fpm runs the
                             same script; without the chaos scheduler
          --at-once=16       tests at once
          --jit=tracing      both servers have opcache's JIT, as `howdah serve --jit=` sets it (or function), and it
                             compiles what has run once
          --suites=A,B       folders of PHP's sources (Zend, tests, ext/date); without: all that the machine has extensions for
          --filter=TEXT      only tests whose path contains TEXT (several, joined by commas: any of them)
          --source=PATH      PHP's sources (a folder or an archive) instead of Debian's
          --report=FILE      every result as JSON
          --keep             leave the folder with the tests, logs and outputs
        TEXT;

    public int $chaos = 1;
    public int $audit = 0;
    public bool $asksAll = false;
    public ?int $rewind = null;
    public int $atOnce = 16;
    public ?string $jit = null;
    /** @var list<string> */
    public array $suites = [];
    /** @var list<string> */
    public array $filter = [];
    public ?string $source = null;
    public ?string $report = null;
    public bool $keep = false;

    /** @param list<string> $arguments */
    public function __construct(array $arguments)
    {
        foreach ($arguments as $argument) {
            [$name, $value] = [...explode('=', $argument, 2), ''];
            match ($name) {
                '--chaos' => $this->chaos = self::number($name, $value, 0),
                '--audit' => $this->audit = self::number($name, $value, 0),
                '--reference' => $this->asksAll = $value === 'all',
                '--rewind' => $this->rewind = self::number($name, $value, 0),
                '--at-once' => $this->atOnce = self::number($name, $value, 1),
                '--jit' => $this->jit = self::kind($value),
                '--suites' => $this->suites = self::list($value),
                '--filter' => $this->filter = self::list($value),
                '--source' => $this->source = $value,
                '--report' => $this->report = $value,
                '--keep' => $this->keep = true,
                default => throw new Failure("there is no option $argument\n" . self::USAGE),
            };
        }
        if ($this->rewind !== null) {
            $this->chaos = 0;
        }
    }

    /** All tests of the machine: only then can be told what the list of accepted differences has too much. */
    public function isWhole(): bool
    {
        return $this->suites === [] && $this->filter === [];
    }

    private static function number(string $name, string $value, int $least): int
    {
        if (!ctype_digit($value) || (int) $value < $least || (int) $value > 2147483647) {
            throw new Failure("$name takes a number from $least, not \"$value\"");
        }

        return (int) $value;
    }

    private static function kind(string $value): string
    {
        if (!in_array($value, Jit::names(), true)) {
            throw new Failure('--jit takes one of ' . implode(', ', Jit::names()) . ", not \"$value\"");
        }

        return $value;
    }

    /** @return list<string> */
    private static function list(string $value): array
    {
        return array_values(array_filter(explode(',', $value), static fn (string $part): bool => $part !== ''));
    }
}
