<?php

declare(strict_types=1);

namespace Howdah\HttpTests;

use Howdah\Tests\Clock;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;

/** Somebody sets the machine's clock (limits/clock.c): no figure, limit or trace takes it for time that has passed. */
#[Group('realms')]
final class ClockChangeTest extends DirectiveTestCase
{
    protected const APP = __DIR__ . '/pool';

    private const HOUR = 3600;

    /** @return array<string, array{int}> by how many seconds */
    public static function changes(): array
    {
        return ['back' => [-2 * self::HOUR], 'ahead' => [3 * self::HOUR]];
    }

    #[DataProvider('changes')]
    public function test_a_clock_that_is_set_is_no_time_that_has_passed(int $change): void
    {
        $collector = new Collector();
        $clock = "{$this->folder}/clock";
        file_put_contents($clock, pack('q', 0));
        $environment = ['LD_PRELOAD' => dirname(__DIR__, 2) . '/build/clock-limits.so', 'CLOCK_FILE' => $clock] + getenv();
        $directives = "howdah_trace {$collector->url}; howdah_slow 900s; howdah_slow_log {$this->folder}/slow;"
            . ' howdah_request_timeout 900s; howdah_queue_timeout 900s; howdah_idle_timeout 900s;'
            . ' location /figures { howdah_status json; } location /health/ { howdah_health; }';
        $options = ['--workers=1', '--concurrency=1', '--no-access-log', '--worker-script=' . self::APP . '/worker.php'];
        $nginx = new Nginx($this->folder, self::APP, $options, $directives, [], environment: $environment);
        try {
            $client = $nginx->awaitReady()->client;
            $door = new Door();
            $asked = (new Http1($nginx->port))->get("/door?at={$door->path}");
            $door->await();
            $waits = (new Http1($nginx->port))->get('/echo?text=queued');
            $queued = static fn (): array => self::pool($client);
            Clock::await(static fn (): bool => $queued()['queue_length'] === 1, 'one waits for the realm');

            // In place: a worker that reads the time while the file is cut to nothing would end by SIGBUS.
            $file = fopen($clock, 'r+');
            self::assertIsResource($file);
            self::assertSame(8, fwrite($file, pack('q', $change)));
            fclose($file);

            // The server has seen it: its answers have the new time.
            Clock::await(static function () use ($client, $change): bool {
                $date = strtotime((string) $client->get('/health/ready')->header('date'));

                return $date !== false && abs($date - time() - $change) < 1000;
            }, 'nginx goes by the new time');
            self::assertSame([200, "ready\n"], [($ready = $client->get('/health/ready'))->status, $ready->body]);
            $door->open();
            self::assertSame(['opened', 'queued'], [$asked->read()?->body, $waits->read()?->body], 'no limit has ended it');
            Clock::await(static fn (): bool => self::pool($client)['requests_total']['2xx'] === 2, 'both are counted');
            foreach (['duration', 'queue', 'wait'] as $name) {
                $sum = self::pool($client)["request_{$name}_seconds"]['sum'];
                self::assertGreaterThanOrEqual(0, $sum, $name);
                self::assertLessThan(900, $sum, $name);
            }
            self::assertSame('', (string) file_get_contents("{$this->folder}/slow"), 'none was slow');
            $span = $collector->span('GET /door');
            $told = ((int) $span['endTimeUnixNano'] - (int) $span['startTimeUnixNano']) / 1e9;
            self::assertGreaterThan(0, $told);
            self::assertLessThan(900, $told);
            self::assertLessThan(1000, abs(intdiv((int) $span['endTimeUnixNano'], 1_000_000_000) - time() - $change));
            self::assertDoesNotMatchRegularExpression('/alert|crit|emerg/', $nginx->log());
        } finally {
            $nginx->stop();
        }
    }

    /**
     * @return array{queue_length: int, requests_total: array<string, int>, request_duration_seconds: array{sum: float},
     *     request_queue_seconds: array{sum: float}, request_wait_seconds: array{sum: float}}
     */
    private static function pool(Client $client): array
    {
        /** @var array{pools: list<array{queue_length: int, requests_total: array<string, int>,
         *     request_duration_seconds: array{sum: float}, request_queue_seconds: array{sum: float},
         *     request_wait_seconds: array{sum: float}}>} $told */
        $told = $client->get('/figures')->json();

        return $told['pools'][0];
    }
}
