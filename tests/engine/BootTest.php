<?php

declare(strict_types=1);

namespace Howdah\Tests\Engine;

use PHPUnit\Framework\TestCase;

/** Worker scripts that hang while they boot, and those of which the next try boots. */
final class BootTest extends TestCase
{
    private const WORKER = ['--mode=worker', '--head', '--requests=3', '--at-once=3'];

    private string $folder;

    protected function setUp(): void
    {
        $this->folder = sys_get_temp_dir() . '/howdah-boots-' . bin2hex(random_bytes(6));
        mkdir($this->folder);
    }

    protected function tearDown(): void
    {
        exec('rm -rf ' . escapeshellarg($this->folder));
    }

    public function testABootThatHangsIsEndedAndTheLogSaysWhereAndForWhat(): void
    {
        [$run, $peer] = $this->hangs('hangs', '--boot-timeout=1000', '--realms=2');

        self::assertSame(3, substr_count($run->out, 'Status: 500'), $run->out . $run->err);
        $says = 'boots-worker.php has been booting for \d+ s in realm 1 and has not asked for a request .*: PHP waits for '
            . "$peer in " . '\S+boots-worker.php on line 14; it is ended \(howdah_boot_timeout\)';
        self::assertMatchesRegularExpression("/$says/", $run->err);
    }

    /** Its shutdown function hangs, too: another one boots in its place. */
    public function testABootThatDoesNotEndEitherIsGivenUp(): void
    {
        [$run] = $this->hangs('stays', '--boot-timeout=1000', '--realms=1', '--requests=2', '--at-once=1');

        self::assertStringContainsString('served', $run->out, $run->err);
        self::assertStringContainsString('realm 1, which boots, did not end within 5 s after it was told to', $run->err);
    }

    public function testWhoWaitsIsServedWhereTheThirdTryBoots(): void
    {
        $run = $this->boots('fails:2', '--realms=1');

        self::assertSame(3, substr_count($run->out, 'served'), $run->out . $run->err);
        self::assertSame(2, substr_count($run->err, 'PHP Fatal error:  Uncaught RuntimeException: time '), $run->err);
        self::assertStringContainsString('3 requests wait for try 3 of 3, in 0.4 s', $run->err);
    }

    public function testWhoWaitsIsRefusedWhenTheThirdTryHasFailed(): void
    {
        $run = $this->boots('fails:3', '--realms=1');

        self::assertSame(3, substr_count($run->out, 'Status: 500'), $run->out . $run->err);
    }

    /** A page that tells the error comes at once. */
    public function testWhoeverDevelopsIsToldOfTheFirst(): void
    {
        $run = $this->boots('fails:1', '--realms=1', '--requests=1', '--at-once=1', '--ini=howdah.fatal_status=500');

        self::assertStringContainsString('time 0', $run->out, $run->err);
    }

    /** @return array{Runner, string} it, and what it waits for */
    private function hangs(string $how, string ...$options): array
    {
        $silent = stream_socket_server('tcp://127.0.0.1:0');
        self::assertIsResource($silent);
        $peer = (string) stream_socket_get_name($silent, false);

        return [$this->boots("$how:" . substr((string) strrchr($peer, ':'), 1), ...$options), $peer];
    }

    private function boots(string $how, string ...$options): Runner
    {
        $environment = ['TMPDIR' => $this->folder, 'HOWDAH_TEST_BOOTS' => $how];

        return Runner::run('boots-worker.php', [...self::WORKER, ...array_values($options)], [], $environment, []);
    }
}
