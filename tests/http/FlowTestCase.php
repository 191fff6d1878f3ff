<?php

declare(strict_types=1);

namespace Howdah\HttpTests;

use Howdah\Tests\Clock;
use PHPUnit\Framework\TestCase;
use Throwable;

/** Tests that push much data, or many connections, through one worker, and watch its memory. The application is in flow/. */
abstract class FlowTestCase extends TestCase
{
    protected const APP = __DIR__ . '/flow';

    /** @var int so many KB each process of nginx may have; 0: as many as it wants */
    protected const ADDRESS_SPACE_KB = 0;

    private ?Nginx $nginx = null;

    /** A folder of the test's own: PHP's uploaded files, gates. */
    protected string $folder;

    /** @return array<string, array{string}> */
    public static function modes(): array
    {
        return ['classic' => ['classic'], 'worker' => ['worker']];
    }

    protected function setUp(): void
    {
        $this->folder = sys_get_temp_dir() . '/howdah-flow-' . bin2hex(random_bytes(6));
        mkdir($this->folder);
        chmod($this->folder, 0777);
        mkdir("{$this->folder}/uploads");
        chmod("{$this->folder}/uploads", 0777);
    }

    /**
     * @param string $directives of nginx, for the server
     * @param string $http       for all servers, or more of them
     */
    protected function serve(string $mode, string $directives = '', int $connections = 8192, string $http = ''): Nginx
    {
        $script = $mode === 'worker' ? '--worker-script=' . self::APP . '/worker.php' : '--mode=classic';
        $ini = ['display_errors=0', 'output_buffering=0', 'memory_limit=32M', 'post_max_size=8G', 'upload_max_filesize=8G'];
        $ini[] = "upload_tmp_dir={$this->folder}/uploads";
        $options = ['--workers=1', '--no-access-log', $script, ...array_map(static fn (string $one) => "--ini=$one", $ini)];
        $edits = ['worker_connections 8192;' => "worker_connections $connections;"];
        $edits += $http === '' ? [] : ['howdah_concurrency 16;' => $http];
        $bound = static::ADDRESS_SPACE_KB;
        $this->nginx = new Nginx($this->folder, self::APP, $options, $directives, $edits, addressSpace: $bound);

        $this->nginx->awaitReady();
        // nginx listens before it has a worker.
        self::assertSame(200, $this->nginx->client->get('/process')->status);

        return $this->nginx;
    }

    /** Megabytes; more with HOWDAH_LONG. */
    protected static function megabytes(int $usual, int $long): int
    {
        return getenv('HOWDAH_LONG') ? $long : $usual;
    }

    /** Megabytes that the worker had at most since the peak was forgotten. */
    protected static function peak(Nginx $nginx): float
    {
        return self::memory($nginx, 'VmHWM');
    }

    protected static function resident(Nginx $nginx): float
    {
        return self::memory($nginx, 'VmRSS');
    }

    /** Returns the megabytes that the worker has now. */
    protected static function forgetPeak(Nginx $nginx): float
    {
        file_put_contents("/proc/{$nginx->workers()[0]}/clear_refs", '5');

        return self::resident($nginx);
    }

    private static function memory(Nginx $nginx, string $what): float
    {
        $status = (string) file_get_contents("/proc/{$nginx->workers()[0]}/status");
        self::assertSame(1, sscanf(strstr($status, $what) ?: '', "$what: %d kB", $kilobytes), $status);

        return (int) $kilobytes / 1024;
    }

    protected static function busy(Nginx $nginx): int
    {
        $busy = $nginx->client->get('/status')->json()['busy'] ?? null;
        self::assertIsInt($busy);

        return $busy - 1; // the one that asks
    }

    /** @param callable(): bool $condition */
    protected static function eventually(callable $condition, string $what): void
    {
        self::assertTrue(Clock::await($condition, $what));
    }

    /** It is as it was before, whatever was done to it: the same worker, and nobody's request is left in it. */
    protected static function assertUnharmed(Nginx $nginx, int $worker): void
    {
        self::assertSame([$worker], $nginx->workers(), $nginx->log());
        self::eventually(static fn (): bool => self::busy($nginx) === 0, 'a realm is busy still');
        self::assertSame((string) $worker, $nginx->client->get('/process')->body);
        self::assertStringNotContainsString('[alert]', $nginx->log());
        self::assertStringNotContainsString('[crit]', $nginx->log());
    }

    protected function tearDown(): void
    {
        $this->nginx?->stop();
        $this->nginx = null;
        exec('rm -rf ' . escapeshellarg($this->folder));
    }

    /** A failed assertion about an answer is little use without what the server logged meanwhile. */
    protected function onNotSuccessfulTest(Throwable $t): never
    {
        fwrite(STDERR, "\n---- log ({$this->name()})\n" . substr($this->nginx?->log() ?? '', -3000) . "\n");
        throw $t;
    }
}
