<?php

declare(strict_types=1);

namespace Howdah\Tests\Lives;

use RuntimeException;

/**
 * A random walk through the lives of realms and pools (walk.c), as a process of its own.
 */
final class Walk
{
    /** A mutant may make it wait, or compute, for ever. */
    private const SECONDS = 60;

    private function __construct(
        public readonly int $exit,
        public readonly string $said,
    ) {
    }

    public static function folder(): string
    {
        $build = getenv('HOWDAH_BUILD');

        return dirname(__DIR__, 2) . '/' . ($build === false || $build === '' ? 'build' : $build);
    }

    public static function run(string $program, int $seed, int $rounds): self
    {
        $command = [
            'timeout', '--kill-after=5', (string) self::SECONDS,
            $program, __DIR__ . '/scripts', dirname(__DIR__, 2) . '/build/extension/closing.so',
            (string) $seed, (string) $rounds,
        ];

        return self::of($command);
    }

    /**
     * @param list<string> $command
     */
    public static function of(array $command): self
    {
        $said = tmpfile();
        if ($said === false) {
            throw new RuntimeException('no temporary file can be made');
        }
        $process = proc_open($command, [['file', '/dev/null', 'r'], $said, $said], $pipes);
        if ($process === false) {
            throw new RuntimeException("cannot start {$command[0]}");
        }
        $exit = proc_close($process);
        rewind($said);

        return new self($exit, (string) stream_get_contents($said));
    }
}
