<?php

declare(strict_types=1);

namespace Howdah\HttpTests;

use Howdah\Tests\Clock;
use PHPUnit\Framework\TestCase;
use Throwable;

/** Pages of several parts (app/parts), by one server in each mode for all tests of a class. */
abstract class PartsTestCase extends TestCase
{
    protected const APP = __DIR__ . '/app/parts';

    private const LOG_BYTES = 4000;

    /** @var array<string, Nginx> */
    private static array $servers = [];
    private static string $folder = '';

    /** @return array<string, array{string}> */
    public static function modes(): array
    {
        return ['classic' => ['classic'], 'worker' => ['worker']];
    }

    /** Locations, of which PHP serves some by the directive; of a server that has a folder of its own. */
    abstract protected static function locations(string $pass, string $folder): string;

    public static function setUpBeforeClass(): void
    {
        self::$folder = sys_get_temp_dir() . '/howdah-parts-' . bin2hex(random_bytes(6));
        mkdir(self::$folder);
    }

    public static function tearDownAfterClass(): void
    {
        foreach (self::$servers as $server) {
            $server->stop();
        }
        self::$servers = [];
        exec('rm -rf ' . escapeshellarg(self::$folder));
    }

    protected function server(string $mode): Nginx
    {
        return self::$servers[$mode] ??= $this->start($mode);
    }

    private function start(string $mode): Nginx
    {
        $folder = self::$folder . "/$mode";
        mkdir($folder);
        $script = $mode === 'worker' ? '--worker-script=' . self::APP . '/worker.php' : '--mode=classic';
        $pass = $mode === 'worker' ? self::APP . '/worker.php' : self::APP . '/public/index.php';
        $modules = 'load_module ' . dirname(__DIR__, 2) . '/build/ngx_http_refusing_module.so;'
            . ' load_module /usr/lib/nginx/modules/ngx_http_image_filter_module.so;';
        $server = new Nginx(
            $folder,
            self::APP,
            ['--workers=1', '--ini=display_errors=0', '--ini=output_buffering=0', $script],
            // However long a client is kept from reading. For all locations: nginx times it by the part whose turn it is.
            'howdah_client_abort cancel; gzip_min_length 1; send_timeout 10m; '
                . static::locations("howdah_pass $mode \"$pass\";", $folder),
            ['daemon off;' => "$modules daemon off;", 'error_log stderr notice;' => 'error_log stderr info;'],
        );
        $server->awaitReady();
        self::assertSame(200, $server->client->get('/page?spec=t1')->status, $server->log());

        return $server;
    }

    /** The worker's process, which must be the same after whatever a test did. */
    protected static function worker(Nginx $server): int
    {
        $workers = $server->workers();
        self::assertCount(1, $workers, $server->log());

        return $workers[0];
    }

    /** Waits until nobody but this question has a realm, as the pool tells. */
    protected static function assertIdles(Nginx $server): void
    {
        $idles = static function () use ($server): bool {
            $status = json_decode($server->client->get('/page?spec=b')->body, true);

            return is_array($status) && $status['queued'] === 0 && $status['busy'] === 1;
        };
        $what = static fn (): string => 'realms serve nobody who has gone: ' . substr($server->log(), -self::LOG_BYTES);
        self::assertTrue(Clock::await($idles, $what));
    }

    /** A failed assertion about an answer is little use without what the server logged meanwhile. */
    protected function onNotSuccessfulTest(Throwable $t): never
    {
        foreach (self::$servers as $mode => $server) {
            fwrite(STDERR, "\n---- log of $mode ({$this->name()})\n" . substr($server->log(), -self::LOG_BYTES) . "\n");
        }
        throw $t;
    }
}
