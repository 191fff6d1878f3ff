<?php

declare(strict_types=1);

namespace Howdah\HttpTests;

use Howdah\Tests\Clock;
use PHPUnit\Framework\TestCase;

/**
 * The audit's report of several workers, and extensions that Howdah does not know (tests/engine/extension), in nginx.
 *
 * @phpstan-type Finding array{object: string, symbol: string, seen: int, request: string}
 * @phpstan-type Report array{complete: bool, unexplained_words: int, lost_words: int, looks: array{middle: int, end: int},
 *                            findings: non-empty-list<Finding>}
 */
final class WatchTest extends TestCase
{
    private const ROOT = __DIR__ . '/../..';

    private string $folder;

    private Client $client;

    /** @var resource|null */
    private $nginx;

    protected function setUp(): void
    {
        $this->folder = sys_get_temp_dir() . '/howdah-audit-' . bin2hex(random_bytes(6));
        mkdir($this->folder);
        chmod($this->folder, 0777);
    }

    protected function tearDown(): void
    {
        $this->end(SIGTERM);
        exec('rm -rf ' . escapeshellarg($this->folder));
    }

    public function test_workers_write_one_report_while_they_serve_and_when_they_end(): void
    {
        $this->start(2, 1, 'counter', "howdah_audit {$this->folder}/report.json;");
        $answers = [];
        for ($tries = 0; $tries < 500 && count($answers) === count(array_unique($answers)); ++$tries) {
            $answers[] = $this->client->get('/a?do=counter&n=1', [CURLOPT_FRESH_CONNECT => true])->body;
        }
        self::assertLessThan(500, $tries, 'one worker answered all requests');

        $early = Clock::await(function (): ?array {
            $report = is_file("{$this->folder}/report.json") ? $this->report() : ['unexplained_words' => 0];

            return $report['unexplained_words'] > 0 ? $report : null;
        }, fn (): string => "the report names what was found: {$this->log()}");
        $this->end(SIGQUIT);
        $late = $this->report();

        self::assertSame(1, $early['unexplained_words'], $this->log());
        self::assertSame([1, 0], [$late['unexplained_words'], $late['lost_words']]);
        self::assertSame(['counter', 'counter.so'], [$late['findings'][0]['symbol'], $late['findings'][0]['object']]);
        // Each request was seen to change it, whichever worker served it.
        self::assertGreaterThanOrEqual($tries, $late['findings'][0]['seen']);
        self::assertGreaterThanOrEqual($tries, $late['looks']['end']);
        self::assertSame('GET /a?do=counter&n=1', $late['findings'][0]['request']);
        self::assertStringNotContainsString('cannot be written', $this->log());
    }

    public function test_an_unknown_extension_with_a_static_keeps_nginx_from_starting(): void
    {
        $this->start(1, 2, 'counter');

        Clock::await(fn (): bool => !$this->isRunning(), fn (): string => "nginx ends: {$this->log()}");

        self::assertMatchesRegularExpression('/\[emerg\].*extension counter 1\.0 .* counter \(\.bss\+/', $this->log());
    }

    public function test_pools_of_one_realm_take_turns_with_it(): void
    {
        $this->start(1, 1, 'counter');

        $answers = $this->many('do=counter&n=1');

        sort($answers);
        // Each counts twice, with a wait between; one that ran meanwhile would leave odd numbers.
        self::assertSame(range(2, 2 * count($answers), 2), $answers, $this->log());
        self::assertStringContainsString('one request at a time per worker, in all pools', $this->log());
    }

    public function test_the_watch_ends_the_overlap_in_all_pools(): void
    {
        $this->start(1, 8, 'made');

        $answers = $this->many('do=made');

        self::assertSame([1], array_values(array_unique($answers)), $this->log());
        $message = '/\[error\].*extension made, .*in_flight \(\.bss\+.*request: "GET \/[ab]\?do=made HTTP/';
        self::assertMatchesRegularExpression($message, $this->log());
    }

    public function test_a_listed_extension_is_shared_without_a_word(): void
    {
        $this->start(1, 8, 'made', 'howdah_shared_extension made;');

        // They overlap where they come fast enough.
        $overlapping = fn (): array => array_filter($this->many('do=made'), static fn (int $in_flight): bool => $in_flight > 2);
        Clock::await(static fn (): bool => $overlapping() !== [], 'requests overlap');

        self::assertStringNotContainsString('extension made', $this->log());
    }

    /** @return list<int> */
    private function many(string $query): array
    {
        $this->await();
        $requests = [];
        for ($number = 0; $number < 40; ++$number) {
            $requests[] = ($number % 2 === 0 ? '/a?' : '/b?') . $query;
        }
        $responses = $this->client->all($requests);
        foreach ($responses as $response) {
            self::assertSame(200, $response->status, $this->log());
        }

        return array_map(static fn (Response $response): int => (int) $response->body, $responses);
    }

    private function start(int $workers, int $concurrency, string $extension, string $directive = ''): void
    {
        $port = Server::freePort();
        $this->client = new Client("http://127.0.0.1:{$port}");
        $build = self::ROOT . '/build';
        $script = realpath(self::ROOT . '/tests/engine/scripts/extension.php');
        $library = realpath("{$build}/extension/{$extension}.so");
        self::assertIsString($library, 'make test-http builds it');
        // The checkout may lie where only its owner can read.
        $user = posix_geteuid() === 0 ? 'user root;' : '';
        file_put_contents("{$this->folder}/nginx.conf", <<<NGINX
            load_module "{$build}/ngx_http_howdah_module.so";
            daemon off;
            {$user}
            pid nginx.pid;
            worker_processes {$workers};
            error_log stderr notice;
            events { worker_connections 256; }
            http {
                access_log off;
                client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path fastcgi;
                uwsgi_temp_path uwsgi; scgi_temp_path scgi;
                howdah_ini "extension={$library}";
                howdah_concurrency {$concurrency};
                {$directive}
                server {
                    listen 127.0.0.1:{$port} reuseport;
                    location / { return 204; }
                    location /a { howdah_queue 100; howdah_pass classic {$script}; }
                    location /b { howdah_queue 101; howdah_pass classic {$script}; }
                }
            }
            NGINX);
        $out = ['file', "{$this->folder}/log", 'a'];
        $command = ['nginx', '-p', $this->folder, '-e', 'stderr', '-c', 'nginx.conf'];
        $process = proc_open($command, [['file', '/dev/null', 'r'], $out, $out], $pipes);
        self::assertIsResource($process);
        $this->nginx = $process;
        if ($directive !== '') {
            $this->await();
        }
    }

    private function await(): void
    {
        Clock::await(fn (): bool => $this->client->get('/')->status === 204, fn (): string => "it serves: {$this->log()}");
    }

    private function isRunning(): bool
    {
        return $this->nginx !== null && proc_get_status($this->nginx)['running'];
    }

    private function end(int $signal): void
    {
        if ($this->nginx === null) {
            return;
        }
        proc_terminate($this->nginx, $signal);
        proc_close($this->nginx);
        $this->nginx = null;
    }

    /** @return Report */
    private function report(): array
    {
        /** @var Report $report */
        $report = json_decode((string) file_get_contents("{$this->folder}/report.json"), true, flags: JSON_THROW_ON_ERROR);
        self::assertTrue($report['complete']);

        return $report;
    }

    private function log(): string
    {
        return (string) file_get_contents("{$this->folder}/log");
    }
}
