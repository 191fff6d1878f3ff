<?php

declare(strict_types=1);

namespace Howdah\Tests\Engine;

use Howdah\Tests\Clock;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;

/**
 * Locks on parts of files (fcntl, lockf), which the kernel gives to a process and takes from it with any close of the file:
 * here each realm has its own, and no neighbour takes them away. Another process asks for what should be locked.
 */
final class RecordTest extends TestCase
{
    private string $folder;

    protected function setUp(): void
    {
        $this->folder = sys_get_temp_dir() . '/howdah-records-' . bin2hex(random_bytes(6));
        mkdir($this->folder);
    }

    protected function tearDown(): void
    {
        exec('rm -rf ' . escapeshellarg($this->folder));
    }

    #[TestWith(['delete', 'classic'], 'delete, classic')]
    #[TestWith(['delete', 'worker'], 'delete, worker')]
    #[TestWith(['wal', 'classic'], 'wal, classic')]
    #[TestWith(['wal', 'worker'], 'wal, worker')]
    public function testWhoReadsADatabaseLeavesItLocked(string $journal, string $mode): void
    {
        $this->serve($journal, $mode, 2, 2);
    }

    #[TestWith(['exclusive'], 'exclusive')]
    #[TestWith(['shared'], 'shared')]
    public function testRealmsHaveRecordLocksOfTheirOwn(string $case): void
    {
        $this->serve($case, 'classic', 2, 2);
    }

    public function testRecordLocksKeepRealmsApart(): void
    {
        file_put_contents("{$this->folder}/count", pack('l', 0));
        $this->serve('count', 'classic', 16, 16);
        self::assertSame(pack('l', 160), file_get_contents("{$this->folder}/count"));
    }

    public function testRealmsLoseNothingThatTheyWriteWithQdbm(): void
    {
        $this->serve('qdbm', 'classic', 16, 16);
        self::assertStringContainsString("n160", (string) file_get_contents("{$this->folder}/qdbm"));
    }

    /** LMDB, which a process must not let open a file twice: a stand-in for ext/dba that notices. */
    public function testAFileOfLmdbIsOpenInOneRealmAtATime(): void
    {
        $run = Runner::run('lmdb.php', [
            '--ini=extension=' . realpath(__DIR__ . '/../../build/extension/lmdb.so'),
            "--query=n=%d&folder={$this->folder}",
            '--requests=16',
            '--at-once=16',
        ]);

        self::assertSame(0, $run->exit, $run->err);
        self::assertSame(16, substr_count($run->out, '[0,0,0]'), $run->out);
        self::assertStringEndsWith("both\n", $run->out, 'different files do not wait for each other');
    }

    /**
     * A clock, as the limit is one of time. A file that is closed in time is the next one's; one that stays open
     * (dba_popen()) must not keep others for ever.
     */
    public function testWhoWaitsTooLongForAFileOfLmdbIsRefused(): void
    {
        $run = Runner::run('lmdb-limit.php', [
            '--ini=extension=' . realpath(__DIR__ . '/../../build/extension/lmdb.so'),
            "--query=n=%d&folder={$this->folder}",
            '--requests=2',
            '--at-once=2',
        ]);

        self::assertSame(0, $run->exit, $run->err);
        $busy = 16;
        $refused = "/^refused {$busy} after (\S+) s\nthen 0$/m";
        self::assertSame(1, preg_match($refused, $run->out, $match), $run->out);
        Clock::assertAtLeast(5.0, (float) ($match[1] ?? 0), 'refused');
        Clock::assertAtMost(8.0, (float) ($match[1] ?? 0), 'refused');
        self::assertStringContainsString("kept 0\n", $run->out);
    }

    private function serve(string $case, string $mode, int $requests, int $at_once): void
    {
        $run = Runner::run($mode === 'worker' ? 'records-worker.php' : 'records.php', [
            "--mode={$mode}",
            '--ini=ffi.enable=1',
            '--header=HTTP_X_FOLDER=' . $this->folder,
            '--header=HTTP_X_PHP=' . PHP_BINARY,
            '--header=HTTP_X_LIBRARY=' . realpath(__DIR__ . '/../../build/calls.so'),
            "--query=case={$case}&n=%d",
            "--requests={$requests}",
            "--at-once={$at_once}",
            '--expect=done',
        ]);
        self::assertSame(0, $run->exit, "{$run->out}\n{$run->err}");
    }
}
