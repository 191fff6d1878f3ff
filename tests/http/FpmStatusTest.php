<?php

declare(strict_types=1);

namespace Howdah\HttpTests;

use Howdah\Tests\Clock;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;

/** howdah_status in php-fpm's formats has the fields of php-fpm's own page, in their order and of their types. */
#[Group('realms')]
final class FpmStatusTest extends DirectiveTestCase
{
    protected const APP = __DIR__ . '/pool';

    /** @var array<string, string> asks php-fpm for its page, and Howdah for its own */
    private const PAGES = ['fpm' => '/fpm', 'howdah' => '/figures'];

    private const CONCURRENCY = 16;

    private static string $fpmFolder = '';

    /** @var resource */
    private static $fpm;

    protected static function options(string $mode): array
    {
        return ['--workers=1', '--concurrency=' . self::CONCURRENCY, '--no-access-log', '--mode=classic'];
    }

    public static function setUpBeforeClass(): void
    {
        $folder = self::$fpmFolder = sys_get_temp_dir() . '/howdah-fpm-' . bin2hex(random_bytes(6));
        mkdir($folder);
        $user = posix_geteuid() === 0 ? "user = root\ngroup = root\n" : '';
        file_put_contents("$folder/fpm.conf", "[global]\nerror_log = $folder/fpm.log\ndaemonize = no\n[www]\n$user"
            . "listen = $folder/fpm.sock\npm = static\npm.max_children = 1\npm.status_path = /fpm\n");
        $root = posix_geteuid() === 0 ? ['-R'] : [];
        $fpm = 'php-fpm' . PHP_MAJOR_VERSION . '.' . PHP_MINOR_VERSION;
        $out = ['file', "$folder/fpm.out", 'a'];
        $process = proc_open([$fpm, '-n', '-F', '-y', "$folder/fpm.conf", ...$root], [1 => $out, 2 => $out], $pipes);
        self::assertIsResource($process);
        self::$fpm = $process;
        // Its socket is there before it listens.
        $log = static fn (): string => (string) @file_get_contents("$folder/fpm.log");
        Clock::await(static fn (): bool => str_contains($log(), 'ready to handle connections'), $log);
    }

    public static function tearDownAfterClass(): void
    {
        parent::tearDownAfterClass();
        proc_terminate(self::$fpm);
        proc_close(self::$fpm);
        exec('rm -rf ' . escapeshellarg(self::$fpmFolder));
    }

    private static function locations(): string
    {
        $params = 'fastcgi_param SCRIPT_NAME /fpm; fastcgi_param SCRIPT_FILENAME /fpm;'
            . ' fastcgi_param REQUEST_METHOD GET; fastcgi_param QUERY_STRING $args;';

        return "location = /fpm { $params fastcgi_pass unix:" . self::$fpmFolder . '/fpm.sock; }'
            . ' location /figures { howdah_status fpm; }';
    }

    /** @return array<string, array{string}> */
    public static function queries(): array
    {
        $queries = ['', 'json', 'xml', 'html', 'openmetrics', 'json=1&xml', 'a=b&json', 'jsonp', 'openmetrics&json', 'full',
            'json&full', 'full&xml', 'html&full', 'openmetrics&full'];

        return array_combine($queries, array_map(static fn (string $query): array => [$query], $queries));
    }

    #[DataProvider('queries')]
    public function test_fields_are_those_of_php_fpm(string $query): void
    {
        $client = $this->share('classic', self::locations());
        $client->get('/echo'); // there is one realm, as there is one child
        $shapes = $heads = [];
        foreach (self::PAGES as $name => $page) {
            $response = $client->get("$page?$query", [CURLOPT_HTTPHEADER => ['Accept: text/html']]);
            self::assertSame(200, $response->status, $response->body);
            $shapes[$name] = self::shape($response->body);
            $heads[$name] = array_map($response->header(...), ['Content-Type', 'Expires', 'Cache-Control']);
        }

        self::assertGreaterThan(10, count($shapes['fpm']));
        self::assertSame($shapes['fpm'], $shapes['howdah']);
        self::assertSame($heads['fpm'], $heads['howdah']);
    }

    public function test_values_are_those_of_all_pools(): void
    {
        $client = $this->serve('classic', self::locations());
        $door = new Door();
        $uri = "/door?at={$door->path}&x=\"";
        $asked = [];
        // Each has its realm before the next one comes: where they come together, some wait in the queue for a moment.
        for ($number = 1; $number <= self::CONCURRENCY + 4; ++$number) {
            $asked[] = (new Http1($this->port))->get($uri);
            $door->await(min($number, self::CONCURRENCY));
        }
        $told = static fn (): array => $client->get('/figures?json')->json();
        Clock::await(static fn (): bool => $told()['listen queue'] === 4, 'four wait for a realm');
        $busy = $client->get('/figures?json&full')->json();
        $clock = Clock::start();
        Clock::await(static fn (): bool => $clock->seconds() > 0.02, 'time has passed');
        $door->open();
        foreach ($asked as $http) {
            self::assertSame('opened', $http->read()?->body);
        }
        Clock::await(static fn (): bool => $told()['idle processes'] === self::CONCURRENCY, 'all realms rest');
        $after = $client->get('/figures?json&full')->json();

        self::assertCount(self::CONCURRENCY, self::rows($busy));
        foreach (self::rows($busy) as $realm) {
            $shown = [$realm['state'], $realm['request method'], $realm['request uri']];
            self::assertSame(['Running', 'GET', substr($uri, 0, 127)], $shown);
        }
        self::assertCount(self::CONCURRENCY, self::rows($after));
        foreach (self::rows($after) as $realm) {
            self::assertSame(['Idle', $this->workers()[0]], [$realm['state'], $realm['pid']]);
            self::assertIsInt($realm['last request memory']);
            self::assertGreaterThanOrEqual(1 << 20, $realm['last request memory']);
        }
        $longest = max([0, ...array_filter(array_column(self::rows($after), 'request duration'), is_int(...))]);
        Clock::assertAtLeast(0.02, $longest / 1e6, 'the duration of a request');
        self::assertSame($after['accepted conn'], array_sum(array_column(self::rows($after), 'requests')));
        $processes = static fn (array $of): array => [$of['active processes'], $of['idle processes'], $of['total processes']];
        self::assertSame([[self::CONCURRENCY, 0, self::CONCURRENCY], 4], [$processes($busy), $busy['listen queue']]);
        self::assertSame([20, 4], [$after['accepted conn'], $after['max children reached']]);
        self::assertSame([self::CONCURRENCY, 4], [$after['max active processes'], $after['max listen queue']]);
        self::assertSame([1000, 0], [$after['listen queue len'], $after['slow requests']]);
        self::assertSame(['default', 'dynamic'], [$after['pool'], $after['process manager']]);
    }

    public function test_it_counts_on_and_lists_no_realm_of_a_worker_that_is_killed(): void
    {
        $client = $this->serve('classic', self::locations(), ['worker_processes 1;' => 'worker_processes 2;']);
        $page = static fn (): array => $client->get('/figures?json&full')->json();
        $door = new Door();
        $asked = array_map(fn (): Http1 => (new Http1($this->port))->get("/door?at={$door->path}"), range(1, 4));
        Clock::await(static fn (): bool => $page()['active processes'] === 4, 'four are served');
        $before = $page();
        $killed = $door->process();
        $of = static fn (array $page): array => array_values(array_filter(
            array_column(self::rows($page), 'pid'),
            static fn (mixed $pid): bool => $pid !== $killed,
        ));
        posix_kill($killed, SIGKILL);
        $another = fn (): bool => count($this->workers()) === 2 && !in_array($killed, $this->workers(), true);
        Clock::await($another, 'another comes');
        // Its rows are there until the other one has its place.
        $isGone = static fn (): bool => !in_array($killed, array_column(self::rows($page()), 'pid'), true);
        Clock::await($isGone, 'its realms are gone');
        $after = $page();
        self::assertSame($of($before), array_column(self::rows($after), 'pid'));
        self::assertSame(count($of($before)), $after['total processes']);
        foreach (['accepted conn', 'max listen queue', 'max active processes', 'max children reached'] as $name) {
            self::assertGreaterThanOrEqual($before[$name], $after[$name], $name);
        }
        self::assertSame($before['start time'], $after['start time']);
        unset($asked);
    }

    /**
     * @param  array<array-key, mixed> $page
     * @return list<array<array-key, mixed>> its realms
     */
    private static function rows(array $page): array
    {
        self::assertIsArray($page['processes'] ?? null);

        return array_values(array_filter($page['processes'], is_array(...)));
    }

    /** @return list<string> names, and the kinds of their values */
    private static function shape(string $body): array
    {
        $kinds = [
            '~\d\d/[A-Z][a-z]{2}/\d{4}:\d\d:\d\d:\d\d [+-]\d{4}~' => 'DATE',
            '~^# HELP (\S+) .+$~m' => '# HELP $1',
            '~^(pool: +|process manager: +)\S+$~m' => '$1TEXT',
            '~("pool":|"process manager":)"\w+"~' => '$1"TEXT"',
            '~^((?:state|request method|request URI|user|script): +)\S+$~m' => '$1TEXT',
            '~("(?:state|request method|request uri|user|script)":)"[^"]*"~' => '$1"TEXT"',
            '~(<(state|request-method|request-uri|user|script)>)[^<]*~' => '$1TEXT',
            '~<td>(?:Idle|Running|GET|-|/[^<]*)</td>~' => '<td>TEXT</td>',
            '~\d+\.\d\d(?!\d)~' => 'DECIMAL',
            '~(<pool>|<process-manager>|<th>(?:pool|process manager)</th><td>)\w+~' => '$1TEXT',
            '~(?<![\w.])\d+(?![\w.])~' => 'NUMBER',
            '~<!DOCTYPE.*?>|<html.*?>~s' => '',
        ];
        $lines = explode("\n", str_replace(',', ",\n", (string) preg_replace(array_keys($kinds), array_values($kinds), $body)));
        // php-fpm itself has TYPE before HELP in one place.
        if (str_starts_with($body, '# HELP')) {
            sort($lines);
        }

        return array_values(array_filter($lines));
    }
}
