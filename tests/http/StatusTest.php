<?php

declare(strict_types=1);

namespace Howdah\HttpTests;

use Howdah\Tests\Clock;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;

/** howdah_status: figures of all workers, which outlive each of them. */
#[Group('realms')]
final class StatusTest extends DirectiveTestCase
{
    protected const APP = __DIR__ . '/pool';

    private const STATUS = 'location /figures { howdah_status; }';

    protected static function options(string $mode): array
    {
        $script = $mode === 'worker' ? '--worker-script=' . self::APP . '/worker.php' : '--mode=classic';

        return ['--workers=2', '--concurrency=2', '--no-access-log', $script];
    }

    #[DataProvider('modes')]
    public function test_counters_outlive_a_worker_that_is_killed_and_a_reload(string $mode): void
    {
        $client = $this->serve($mode, self::STATUS);
        $client->all([...array_fill(0, 12, '/wait?n=1'), '/echo?text=a', '/exit', '/code?n=503']);
        $requests = "howdah_requests_total{pool=\"default\",mode=\"$mode\",code=\"%s\"}";
        $this->awaitSample(14, sprintf($requests, '2xx'));
        $this->awaitSample(1, sprintf($requests, '5xx'));
        self::assertSame(0, $this->counters()['howdah_workers_lost_total']);

        // In the midst of requests, which are lost with it.
        $door = new Door();
        $asked = $this->ask(4, "/door?at={$door->path}");
        $busy = fn (): float => $this->gauge('howdah_realms', 'waiting') + $this->gauge('howdah_queue_length');
        Clock::await(fn (): bool => $busy() === 4.0, fn (): string => "4 are there, not {$busy()}");
        $before = $this->counters();
        posix_kill($door->process(), SIGKILL);
        $this->awaitSample(1, 'howdah_workers_lost_total');
        $this->awaitSample(2, 'howdah_workers');
        $after = $this->assertNoneWentBack($before);
        $door->open();
        unset($asked);

        $old = $this->workers();
        $this->reload();
        Clock::await(function () use (&$after, $old): bool {
            $after = $this->assertNoneWentBack($after);

            return array_intersect($old, $this->workers()) === [];
        }, 'the old workers have gone');
        $client->get('/echo');
        $this->awaitSample(2, 'howdah_workers');
        $last = $this->assertNoneWentBack($after);
        self::assertSame(1, $last['howdah_workers_lost_total'], 'those that leave in order are not lost');
        $answered = fn (): float => $this->samples()[sprintf($requests, '2xx')];
        Clock::await(fn (): bool => $answered() >= 15.0, fn (): string => "15 answers are counted, not {$answered()}");
    }

    #[DataProvider('modes')]
    public function test_waits_are_counted_by_what_they_are_for(string $mode): void
    {
        $client = $this->serve($mode, self::STATUS, ['worker_processes 2;' => 'worker_processes 1;']);
        $count = static fn (string $for): string => "howdah_waits_total{for=\"$for\"}";
        self::assertSame(0.0, $this->samples()[$count('sleep')]);
        $client->all(array_fill(0, 3, '/wait?n=7'));
        $this->awaitSample(3, $count('sleep'));
        $slept = $this->samples()['howdah_wait_seconds_total{for="sleep"}'];
        Clock::assertAtLeast(0.021, $slept, 'as long as they slept');
        $before = $this->samples()[$count('descriptor')];
        $door = new Door();
        [$one] = $this->ask(1, "/door?at={$door->path}");
        $door->await()->open();
        self::assertSame('opened', $one->read()?->body);
        $descriptors = fn (): float => $this->samples()[$count('descriptor')];
        Clock::await(fn (): bool => $descriptors() > $before, 'it has waited for the door');
        self::assertSame(0.0, $this->samples()[$count('lock')]);
    }

    #[DataProvider('modes')]
    public function test_realms_the_queue_and_times_are_seen(string $mode): void
    {
        $one = ['worker_processes 2;' => 'worker_processes 1;'];
        $this->serve($mode, 'howdah_warm 2; location /figures { howdah_status cpu; }', $one);
        // Nobody is to wait for a boot.
        $this->awaitGauge(2, 'howdah_realms', 'idle');
        $door = new Door();
        $asked = $this->ask(3, "/door?at={$door->path}");
        $this->awaitGauge(1, 'howdah_queue_length');
        $clock = Clock::start();
        // One that has not come to its door yet computes.
        $this->awaitGauge(2, 'howdah_realms', 'waiting');
        self::assertSame(2.0, $this->gauge('howdah_concurrency_limit'));
        self::assertSame(1000.0, $this->gauge('howdah_queue_capacity'));
        Clock::await(fn (): bool => $clock->seconds() > 0.02, 'time has passed');
        $door->open();
        foreach ($asked as $client) {
            self::assertSame('opened', $client->read()?->body);
        }

        $this->awaitSample(3, "howdah_requests_total{pool=\"default\",mode=\"$mode\",code=\"2xx\"}");
        $figures = $this->figures();
        $pool = self::part($figures, 'pools', 0);
        self::assertSame(['default', $mode], [$pool['pool'], $pool['mode']]);
        self::assertSame(0, $pool['queue_length']);
        self::assertSame(1, $pool['requests_queued_total']);
        foreach (['duration' => 0.04, 'queue' => 0.02, 'wait' => 0.04, 'cpu' => 1e-6] as $name => $least) {
            $histogram = self::part($pool, "request_{$name}_seconds");
            self::assertSame(3, $histogram['count'], $name);
            self::assertIsFloat($histogram['sum']);
            Clock::assertAtLeast($least, $histogram['sum'], $name);
        }
        $worker = self::part($figures, 'workers', 0);
        self::assertSame($this->workers(), [$worker['pid']]);
        self::assertSame([1, 0, 0], [$worker['worker_ready'], $worker['worker_failing'], $worker['worker_leaving']]);
        self::assertGreaterThan(1 << 20, $worker['worker_memory_bytes']);
        self::assertLessThan(1 << 30, $worker['worker_memory_bytes']);
    }

    /** Slices let nginx have its turns. */
    public function test_it_answers_while_all_workers_compute(): void
    {
        $this->serve('worker', 'howdah_warm 2;' . self::STATUS, ['worker_processes 2;' => 'worker_processes 1;']);
        $this->awaitGauge(2, 'howdah_realms', 'idle');
        $door = new Door();
        $asked = $this->ask(2, "/computes?at={$door->path}");
        $this->awaitGauge(2, 'howdah_realms', 'computing');
        $door->open();
        foreach ($asked as $client) {
            self::assertSame('opened', $client->read()?->body);
        }
    }

    public function test_a_script_that_does_not_boot_is_seen(): void
    {
        file_put_contents("{$this->folder}/worker.php", "<?php throw new Exception('not today');");
        $location = "location /broken { howdah_pass worker {$this->folder}/worker.php; }";
        $this->serve('classic', self::STATUS . $location);
        $this->awaitGauge(2, 'howdah_worker_failing');
        self::assertSame(0.0, $this->gauge('howdah_worker_ready'));
        // A worker that has just told that it fails may tell of its realms later.
        $deaths = fn (): bool => $this->gauge('howdah_realm_deaths_total', 'boot') > 0.0;
        Clock::await($deaths, 'realms that did not boot are counted');
    }

    /** Two samples of one name would be one for Prometheus, which drops the second. */
    public function test_pools_with_names_that_differ_a_little_are_told_apart(): void
    {
        $long = str_repeat('a', 200);
        $names = ['grün', 'grán', "latin\xe4", "latin\xfc", "{$long}1", "{$long}2", "tab\t", "bell\x07", "c1 \u{9b}", 'a"b'];
        $client = $this->serve('classic', self::STATUS . self::pools($names));
        $page = $client->get('/figures/metrics')->body;
        self::assertTrue(mb_check_encoding($page, 'UTF-8'));
        self::assertDoesNotMatchRegularExpression('/[\x00-\x09\x0b-\x1f\x7f]|\xc2[\x80-\x9f]/', $page);
        preg_match_all('/^howdah_queue_length\{pool="(.*)",mode="classic"\} /m', $page, $found);
        $told = ['grün', 'grán', 'latin\\\\xE4', 'latin\\\\xFC', "{$long}1", "{$long}2", 'tab\\\\x09', 'bell\\\\x07',
            'c1 \\\\xC2\\\\x9B', 'a\\"b', 'default'];
        self::assertEqualsCanonicalizing($told, $found[1]);
        $pools = array_column((array) $this->figures()['pools'], 'pool');
        self::assertEqualsCanonicalizing(array_map(stripslashes(...), $told), $pools);
    }

    public function test_pools_for_which_there_is_no_room_are_counted_together(): void
    {
        $names = array_map(static fn (int $number): string => "pool $number", range(1, 70));
        $client = $this->serve('classic', self::STATUS . self::pools($names));
        $client->all(array_map(static fn (int $number): string => "/pool/$number/echo", range(0, 69)));
        $this->awaitSample(1, 'howdah_requests_total{pool="pool 2",mode="classic",code="2xx"}');
        // The server's own pool came after those of its locations.
        $this->awaitSample(8, 'howdah_requests_total{pool="(others)",mode="classic",code="2xx"}');
        // Nine, of each of two workers: what they are and may be adds up.
        $this->awaitSample(36, 'howdah_realms_max{pool="(others)",mode="classic"}');
        $this->awaitSample(36, 'howdah_concurrency_limit{pool="(others)",mode="classic"}');
        $this->awaitSample(18_000, 'howdah_queue_capacity{pool="(others)",mode="classic"}');
        self::assertCount(63, (array) $this->figures()['pools']);
        self::assertStringContainsString('there are more than 62 pools', $this->log());
    }

    public function test_prometheus_page_is_as_its_format_says(): void
    {
        $client = $this->serve('worker', self::STATUS);
        $client->all(['/echo', '/wait?n=20', '/compute?n=5']);
        $response = $client->get('/figures', [CURLOPT_HTTPHEADER => ['Accept: text/plain;version=0.0.4;q=0.5']]);
        self::assertSame('text/plain; version=0.0.4; charset=utf-8', $response->header('content-type'));
        self::assertStringEndsWith("\n", $response->body);

        $name = '';
        $types = $seen = $buckets = [];
        foreach (explode("\n", rtrim($response->body)) as $line) {
            if (preg_match('/^# (HELP|TYPE) ([a-z_]+) (.+)$/', $line, $found) === 1) {
                self::assertSame($found[1] === 'TYPE', $name === $found[2], "HELP stands before TYPE: $line");
                $name = $found[2];
                if ($found[1] === 'TYPE') {
                    self::assertArrayNotHasKey($name, $types);
                    $types[$name] = $found[3];
                    self::assertSame($found[3] === 'counter', str_ends_with($name, '_total'), $line);
                }
                continue;
            }
            $label = '[a-z]+="(?:[^"\\\\\n]|\\\\["\\\\n])*"';
            $matches = preg_match("/^([a-z_]+)(\{{$label}(?:,$label)*\})? (\d+(\.\d+)?)$/", $line, $found);
            self::assertSame(1, $matches, $line);
            [, $sample, $labels, $value] = $found;
            self::assertNotContains($sample . $labels, $seen, 'a sample stands once');
            $seen[] = $sample . $labels;
            if (($types[$name] ?? '') !== 'histogram') {
                self::assertSame($name, $sample);
            } elseif ($sample === "{$name}_bucket") {
                self::assertGreaterThanOrEqual(end($buckets) ?: 0, (int) $value, $line);
                $buckets[preg_replace('/.*le="(.*)"\}/', '$1', $labels)] = (int) $value;
            } elseif ($sample === "{$name}_count") {
                self::assertSame(['+Inf', (int) $value], [array_key_last($buckets), end($buckets)]);
                $buckets = [];
            } else {
                self::assertSame("{$name}_sum", $sample);
            }
        }

        // Each is told of, and no other.
        $page = (string) file_get_contents(dirname(__DIR__, 2) . '/docs/monitoring.md');
        preg_match_all('/^\| `(howdah_\w+)` \|/m', $page, $told);
        self::assertSame(array_keys($types), $told[1]);
        // 19 MB to download: once in a while.
        if (getenv('HOWDAH_LONG') !== false) {
            self::assertSame([0, ''], $this->promtool($response->body));
        }
    }

    /** @return array{int, string} what Prometheus' own parser and its rules for names say of a page: exit status and words */
    private function promtool(string $page): array
    {
        file_put_contents("{$this->folder}/page", $page);
        $fetch = 'apt-get -qq -o APT::Sandbox::User=root download prometheus && dpkg-deb -x prometheus_*.deb prometheus';
        $check = 'prometheus/usr/bin/promtool check metrics <page';
        exec('cd ' . escapeshellarg($this->folder) . " && $fetch && $check 2>&1", $said, $status);

        return [$status, implode("\n", $said)];
    }

    /** @return array<string, array{string, string, string, string}> directive, path, Accept, the type of the answer */
    public static function choices(): array
    {
        $limited = 'howdah_status json; limit_except POST { deny 10.0.0.1; }';

        return [
            'by default' => ['howdah_status;', '/figures', '*/*', 'text/plain'],
            'a parameter' => ['howdah_status json;', '/figures', '*/*', 'application/json'],
            'its name' => ['howdah_status prometheus cpu;', '/figures', '*/*', 'text/plain'],
            'limit_except' => [$limited, '/figures', '*/*', 'application/json'],
            'the path is above it' => ['howdah_status json;', '/figures/metrics', '*/*', 'text/plain'],
            'the path is above Accept' => ['howdah_status;', '/figures/a.json', 'text/plain;version=0.0.4', 'application/json'],
            'Accept is above it' => ['howdah_status json;', '/figures', 'application/openmetrics-text;q=0.9', 'text/plain'],
            'Accept: JSON' => ['howdah_status;', '/figures', 'application/json', 'application/json'],
        ];
    }

    #[DataProvider('choices')]
    public function test_format_is_chosen(string $directive, string $path, string $accept, string $type): void
    {
        $client = $this->share('classic', "location /figures { $directive }");

        $response = $client->get($path, [CURLOPT_HTTPHEADER => ["Accept: $accept"]]);

        self::assertSame(200, $response->status);
        self::assertSame($type, explode(';', (string) $response->header('content-type'))[0]);
        self::assertStringContainsString('no-store', (string) $response->header('cache-control'));
        self::assertSame(405, $client->post($path, 'x')->status);
        $head = $client->get($path, [CURLOPT_NOBODY => true]);
        self::assertSame([200, ''], [$head->status, $head->body]);
    }

    public function test_it_can_be_a_part_of_a_page(): void
    {
        $figures = '<!--#include virtual="/figures/json" -->';
        file_put_contents("{$this->folder}/page", "$figures;$figures");
        $page = "location = /page { ssi on; ssi_types *; root {$this->folder}; }";

        $parts = explode(';', $this->serve('classic', self::STATUS . $page)->get('/page')->body);

        self::assertCount(2, $parts);
        self::assertSame(['default'], array_column((array) (new Response(200, [], $parts[1], 0, 0))->json()['pools'], 'pool'));
    }

    /** @return array<string, array{string, string}> what the server has, and what the test of the configuration says */
    public static function texts(): array
    {
        $open = 'is open to everybody who can reach it';
        $on = static fn (string $more): string => "listen 0.0.0.0:{port}; location /figures { howdah_status; $more }";

        return [
            'open' => [$on(''), $open],
            'auth_basic off' => [$on('auth_basic off;'), $open],
            'deny' => [$on('allow 10.0.0.0/8; deny all;'), ''],
            'deny above' => ['deny all; ' . $on(''), ''],
            'deny for IPv6' => [$on('deny ::/0;'), ''],
            'auth_basic' => [$on('auth_basic figures; auth_basic_user_file /dev/null;'), ''],
            'internal' => [$on('internal;'), ''],
            'internal, and health' => [$on('internal;') . ' location /ready { internal; howdah_health; }', ''],
            'within internal' => ['listen 0.0.0.0:{port}; location /a { internal; location /a/b { howdah_status; } }', ''],
            'named' => ['listen 0.0.0.0:{port}; location @figures { howdah_status; }', ''],
            'auth_request' => [$on('auth_request /auth;'), ''],
            'this machine' => ['listen 127.0.0.1:{port}; listen [::1]:{port}; location / { howdah_status; }', ''],
            'unknown format' => ['location / { howdah_status yaml; }', 'takes a format, "prometheus", "json" or "fpm"'],
            'twice' => ['location / { howdah_status; howdah_status; }', 'is duplicate'],
            'beside PHP' => ['location / { howdah_pass classic /a.php; howdah_status; }', 'cannot stand beside what answers'],
            'before PHP' => ['location / { howdah_status; howdah_pass classic /a.php; }', 'cannot stand beside howdah_status'],
        ];
    }

    #[DataProvider('texts')]
    public function test_configuration_is_judged(string $server, string $says): void
    {
        $module = (getenv('HOWDAH_BUILD') ?: dirname(__DIR__, 2) . '/build') . '/ngx_http_howdah_module.so';
        // Also a test of a configuration binds its addresses.
        $server = str_replace('{port}', (string) Server::freePort(), $server);
        $text = "load_module $module; pid nginx.pid; events {} http { access_log off; server { $server } }";
        file_put_contents("{$this->folder}/nginx.conf", $text);
        exec("nginx -t -p {$this->folder} -e stderr -c nginx.conf 2>&1", $lines);

        $said = implode("\n", array_filter($lines, static fn (string $line): bool => str_contains($line, 'howdah_')));
        self::assertSame($says === '', $said === '', $said);
        self::assertStringContainsString($says, $said);
    }

    /** @param list<string> $names */
    private static function pools(array $names): string
    {
        $directives = '';
        foreach ($names as $number => $name) {
            $pass = 'howdah_pass classic ' . self::APP . '/public/index.php';
            $directives .= "location /pool/$number/ { howdah_pool '$name'; $pass; }";
        }

        return $directives;
    }

    /** @return list<Http1> so many who wait for an answer */
    private function ask(int $count, string $uri): array
    {
        return array_map(fn (): Http1 => (new Http1($this->port))->get($uri), range(1, $count));
    }

    private function page(string $path): Response
    {
        $response = (new Client("http://127.0.0.1:{$this->port}"))->get($path);
        self::assertSame(200, $response->status, $response->body);

        return $response;
    }

    /** @return array<array-key, mixed> */
    private function figures(): array
    {
        return $this->page('/figures/json')->json();
    }

    /** @return array<string, float> Prometheus' samples */
    private function samples(): array
    {
        preg_match_all('/^([a-z].*) (\S+)$/m', $this->page('/figures/metrics')->body, $found);

        return array_combine($found[1], array_map(floatval(...), $found[2]));
    }

    /** @return array<string, int> what only grows, in whole numbers */
    private function counters(): array
    {
        $counts = static fn (string $name): bool => preg_match('/_(total|count|bucket)(\{|$)/', $name) === 1;

        return array_map(intval(...), array_filter($this->samples(), $counts, ARRAY_FILTER_USE_KEY));
    }

    /** Of all pools and workers. */
    private function gauge(string $name, string $label = ''): float
    {
        $matches = static fn (string $key): bool => str_starts_with($key, $name) && str_contains($key, $label);

        return (float) array_sum(array_filter($this->samples(), $matches, ARRAY_FILTER_USE_KEY));
    }

    private function awaitGauge(float $value, string $name, string $label = ''): void
    {
        $found = fn (): float => $this->gauge($name, $label);
        Clock::await(fn (): bool => $found() === $value, fn (): string => "$name $label is $value, not {$found()}");
    }

    /** An answer leaves a moment before it is counted, and other workers tell of their realms five times a second. */
    private function awaitSample(float $value, string $name): void
    {
        $found = fn (): ?float => $this->samples()[$name] ?? null;
        Clock::await(fn (): bool => $found() === $value, fn (): string => "$name is $value, not {$found()}");
    }

    /**
     * @param  array<string, int> $before
     * @return array<string, int> as they are now
     */
    private function assertNoneWentBack(array $before): array
    {
        $after = $this->counters();
        foreach ($before as $name => $value) {
            self::assertGreaterThanOrEqual($value, $after[$name] ?? -1, $name);
        }

        return $after;
    }

    /**
     * @param  array<array-key, mixed> $of
     * @return array<array-key, mixed>
     */
    private static function part(array $of, int|string ...$path): array
    {
        foreach ($path as $key) {
            $of = $of[$key] ?? null;
            self::assertIsArray($of, "$key");
        }

        return $of;
    }
}
