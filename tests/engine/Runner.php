<?php

/**
 * Runs build/howdah-run and keeps what it said.
 */

declare(strict_types=1);

namespace Howdah\Tests\Engine;

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
     */
    public static function run(
        string $script,
        array $options = [],
        array $prefix = [],
        array $environment = [],
        ?array $extensions = null,
    ): self {
        if ($extensions !== null) {
            $load = array_map(static fn (string $name): string => "--ini=extension=$name", $extensions);
            $options = ['--ini=zend_extension=opcache', ...$load, ...$options];
            $environment += ['PHP_INI_SCAN_DIR' => '/dev/null'];
        }
        $path = str_contains($script, '/') ? $script : __DIR__ . "/scripts/{$script}";
        $command = [...$prefix, dirname(__DIR__, 2) . '/build/howdah-run', ...$options, $path];
        // A crash is an answer; a hang must be one too. Half a minute of computing may take five beside other suites.
        array_unshift($command, 'timeout', '--kill-after=5', '900');
        $out = tmpfile();
        $err = tmpfile();
        if ($out === false || $err === false) {
            throw new RuntimeException('no temporary file can be made');
        }
        $start = microtime(true);
        $process = proc_open($command, [['file', '/dev/null', 'r'], $out, $err], $pipes, null, $environment + getenv());
        if ($process === false) {
            throw new RuntimeException("cannot start {$command[3]}");
        }
        $exit = proc_close($process);
        $seconds = microtime(true) - $start;
        rewind($out);
        rewind($err);

        return new self($exit, (string) stream_get_contents($out), (string) stream_get_contents($err), $seconds);
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
