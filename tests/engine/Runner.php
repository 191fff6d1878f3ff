<?php

/**
 * Runs build/howdah-run and keeps what it said.
 */

declare(strict_types=1);

namespace Howdah\Tests\Engine;

use Howdah\Tests\Clock;
use Howdah\Tests\Opcache;
use RuntimeException;

final class Runner
{
    private function __construct(
        public readonly int $exit,
        public readonly string $out,
        public readonly string $err,
        public readonly float $seconds,
    ) {
    }

    /**
     * @param string $script a path, or the name of a file in scripts/
     * @param list<string> $options
     * @param list<string> $prefix a program that runs the runner (valgrind)
     * @param array<string, string> $environment
     * @param ?list<string> $extensions that PHP loads, beside opcache; null: all that the machine has. Without them a start
     *                                  takes a third of the time, under valgrind half: for tests in which none takes part
     * @param int $limit seconds after which it hangs, and the test is late: half a minute of computing may take five beside
     *                   other suites
     */
    public static function run(
        string $script,
        array $options = [],
        array $prefix = [],
        array $environment = [],
        ?array $extensions = null,
        int $limit = 600,
    ): self {
        if ($extensions !== null) {
            $load = [...Opcache::settings(), ...array_map(static fn (string $name): string => "extension=$name", $extensions)];
            $options = [...array_map(static fn (string $setting): string => "--ini=$setting", $load), ...$options];
            $environment += ['PHP_INI_SCAN_DIR' => '/dev/null'];
        }
        // What a test itself says of the JIT comes later, and counts.
        $options = [...self::jit((string) getenv('HOWDAH_JIT')), ...$options];
        $path = str_contains($script, '/') ? $script : __DIR__ . "/scripts/{$script}";
        $command = [...$prefix, dirname(__DIR__, 2) . '/build/howdah-run', ...$options, $path];
        // What hangs may have blocked every signal but SIGKILL.
        array_unshift($command, 'timeout', '--kill-after=5', (string) $limit);
        $out = tmpfile();
        $err = tmpfile();
        if ($out === false || $err === false) {
            throw new RuntimeException('no temporary file can be made');
        }
        $clock = Clock::start();
        $process = proc_open($command, [['file', '/dev/null', 'r'], $out, $err], $pipes, null, $environment + getenv());
        if ($process === false) {
            throw new RuntimeException("cannot start {$command[3]}");
        }
        $exit = proc_close($process);
        $seconds = $clock->seconds();
        rewind($out);
        rewind($err);
        $said = (string) stream_get_contents($out);
        $complained = (string) stream_get_contents($err);
        if ($seconds >= $limit && in_array($exit, [124, 137], true)) {
            Clock::late("howdah-run did not end within {$limit} s with {$script}:\n" . substr($said . $complained, -2000));
        }

        return new self($exit, $said, $complained, $seconds);
    }

    /**
     * Options for opcache's JIT, by the names of `howdah serve --jit=` (cli/src/Jit.php). HOWDAH_JIT=tracing runs a whole suite
     * with it.
     *
     * @return list<string>
     */
    public static function jit(string $kind): array
    {
        $traces = PHP_VERSION_ID < 80400 ? 'tracing' : '1054';
        $kind = ['tracing' => $traces, 'function' => '1035'][$kind] ?? $kind;

        return $kind === '' ? [] : ["--ini=opcache.jit={$kind}", '--ini=opcache.jit_buffer_size=64M'];
    }

    /**
     * One number of the line that --memory prints.
     */
    public function figure(string $name): int
    {
        if (preg_match("/\\b{$name}=(\\d+)/", $this->out, $match) !== 1) {
            throw new RuntimeException("no figure {$name} in: {$this->out}{$this->err}");
        }

        return (int) $match[1];
    }
}
