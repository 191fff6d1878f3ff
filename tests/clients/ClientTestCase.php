<?php

declare(strict_types=1);

namespace Howdah\ClientTests;

use Howdah\HttpTests\HttpTestCase;
use Howdah\Tests\Clock;
use RuntimeException;

/** Real clients against the application in app/. */
abstract class ClientTestCase extends HttpTestCase
{
    protected const APP = __DIR__ . '/app';
    protected const MAY_CRASH = false;

    /** The status of curl's program when its time was over. */
    private const TIMED_OUT = 28;

    /** @return list<string> */
    protected static function options(string $mode): array
    {
        return ['--workers=1', $mode === 'worker' ? '--worker-script=' . self::APP . '/worker.php' : '--mode=classic'];
    }

    /** What a program says on its standard output; it must end well. */
    protected static function said(string ...$command): string
    {
        $process = proc_open(array_values($command), [['file', '/dev/null', 'r'], ['pipe', 'w'], ['pipe', 'w']], $pipes);
        if ($process === false) {
            throw new RuntimeException("$command[0] cannot be started");
        }
        $text = (string) stream_get_contents($pipes[1]);
        $errors = (string) stream_get_contents($pipes[2]);
        $status = proc_close($process);
        if ($status === self::TIMED_OUT) {
            Clock::late(implode(' ', $command) . ": $errors\n$text");
        }
        self::assertSame(0, $status, implode(' ', $command) . ": $errors\n$text");

        return $text;
    }

    /** A file of bytes by chance, removed when PHPUnit ends. */
    protected static function file(int $bytes, string $suffix = ''): string
    {
        $file = sys_get_temp_dir() . '/howdah-clients-' . bin2hex(random_bytes(6)) . $suffix;
        file_put_contents($file, random_bytes(max(1, $bytes)));
        register_shutdown_function(static fn () => unlink($file));

        return $file;
    }
}
