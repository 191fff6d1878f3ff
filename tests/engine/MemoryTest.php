<?php

declare(strict_types=1);

namespace Howdah\Tests\Engine;

use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;

/**
 * 50,000 worker-mode requests in one realm, 200,000 in `make test-long`: resident memory at the end is what it was after the
 * first hundredth of them. The smallest malloc() that each left behind would be 1.5 MB, and is seen. What booting has freed,
 * and what requests leave in cycles, does not stay.
 */
#[Group('memory')]
final class MemoryTest extends TestCase
{
    private const UPLOAD = "--XX\r\nContent-Disposition: form-data; name=\"f\"; filename=\"a.txt\"\r\n"
        . "Content-Type: text/plain\r\n\r\nhello world\r\n--XX--\r\n";

    #[TestWith(['multipart/form-data; boundary=XX', self::UPLOAD], 'multipart/form-data; boundary=XX')]
    #[TestWith(['text/plain', 'a body that is read from php://input'], 'text/plain')]
    public function testMemoryIsFlat(string $type, string $body): void
    {
        // On disk the session files would cost most of the time.
        $folder = (is_writable('/dev/shm') ? '/dev/shm' : sys_get_temp_dir()) . '/howdah-memory-' . bin2hex(random_bytes(6));
        mkdir($folder);
        $run = Runner::run('memory.php', [
            '--mode=worker',
            '--realms=1',
            '--requests=' . (getenv('HOWDAH_LONG') ? 200_000 : 50_000),
            '--at-once=4',
            '--memory',
            '--quiet',
            '--query=n=%d',
            '--expect=ok',
            '--method=POST',
            "--content-type={$type}",
            "--body={$body}",
            "--ini=upload_tmp_dir={$folder}",
        ], [], ['HOWDAH_TEST_SESSIONS' => $folder]);
        array_map(unlink(...), glob("{$folder}/*") ?: []);
        rmdir($folder);
        self::assertSame(0, $run->exit, substr($run->err, 0, 2000));
        self::assertSame(1, $run->figure('births'));
        self::assertLessThanOrEqual($run->figure('early') * 1.02, $run->figure('late'), 'resident KiB');
    }

    #[TestWith(['classic', 'locales.php'], 'classic')]
    #[TestWith(['worker', 'locales-worker.php'], 'worker')]
    public function testLocalesThatWereLeftAreFreed(string $mode, string $script): void
    {
        $run = Runner::run($script, ["--mode={$mode}", '--realms=1', '--requests=200', '--memory', '--quiet', '--expect=ok']);
        self::assertSame(0, $run->exit, substr($run->err, 0, 2000));
        // 28,000 calls; one object is 300 bytes.
        self::assertLessThan($run->figure('early') + 1024, $run->figure('late'), 'resident KiB');
    }

    public function testWhatBootingHasUsedAndFreedGoesBackToTheKernel(): void
    {
        // Not preempted: what is told first is told when all have booted.
        $one = $this->litter('--slice=0', '--warm=1', '--realms=1', '--requests=0')->figure('private_kb');
        $more = $this->litter('--slice=0', '--warm=11', '--realms=11', '--requests=0')->figure('private_kb');
        // 512 KB are kept; 8 MB were in use, and megabytes of both stacks, PHP's and C's.
        self::assertLessThan(1500, ($more - $one) / 10, 'KiB for each realm');
    }

    public function testGarbageIsCollectedBetweenRequestsLongBeforePhpWould(): void
    {
        $load = ['--realms=1', '--at-once=4', '--quiet', '--expect=ok'];
        $booted = $this->litter('--warm=1', '--realms=1', '--requests=0');
        $served = $this->litter('--requests=2000', ...$load);
        // PHP waits for 10,001 possible roots, which are here 66 requests and 4.3 MB.
        self::assertLessThan($booted->figure('late') + 2048, $served->figure('late'), 'resident KiB');
    }

    private function litter(string ...$options): Runner
    {
        $run = Runner::run('litter-worker.php', ['--mode=worker', '--memory', ...array_values($options)]);
        self::assertSame(0, $run->exit, substr($run->err . $run->out, 0, 2000));

        return $run;
    }
}
