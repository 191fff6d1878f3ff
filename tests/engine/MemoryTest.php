<?php

declare(strict_types=1);

namespace Howdah\Tests\Engine;

use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;

/**
 * 200,000 worker-mode requests in one realm: resident memory at the end is what it was after the first 2,000.
 */
final class MemoryTest extends TestCase
{
    private const UPLOAD = "--XX\r\nContent-Disposition: form-data; name=\"f\"; filename=\"a.txt\"\r\n"
        . "Content-Type: text/plain\r\n\r\nhello world\r\n--XX--\r\n";

    #[TestWith(['multipart/form-data; boundary=XX', self::UPLOAD])]
    #[TestWith(['text/plain', 'a body that is read from php://input'])]
    public function testMemoryIsFlat(string $type, string $body): void
    {
        // On disk the session files would cost most of the time.
        $folder = (is_writable('/dev/shm') ? '/dev/shm' : sys_get_temp_dir()) . '/howdah-memory-' . getmypid();
        mkdir($folder);
        $run = Runner::run('memory.php', [
            '--mode=worker',
            '--realms=1',
            '--requests=200000',
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
}
