<?php

declare(strict_types=1);

namespace Howdah\HttpTests;

use Howdah\Tests\Clock;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;

/** howdah_health with script=: pages that end in other ways than most, and clients that leave. Each check has an answer. */
#[Group('realms')]
final class CheckupHostileTest extends DirectiveTestCase
{
    protected const APP = __DIR__ . '/pool';

    private const LONG = '600s';

    /** By name: its location, or what PHP does; how long it may take; what the check says. */
    private const PAGES = [
        'too-slow' => ['return 408;', self::LONG, 'answers 408'],
        'gone' => ['return 499;', self::LONG, 'answers 499'],
        'closes' => ['return 444;', self::LONG, 'has broken off its answer'],
        'leads-elsewhere' => ['return 302 /;', self::LONG, 'answers 302'],
        'is-locked' => ['auth_request /no;', self::LONG, 'answers 404'],
        'nobody-there' => ['proxy_pass http://127.0.0.1:1;', self::LONG, 'answers 502'],
        'error-page' => ['error_page 404 =503 /index.php; return 404;', self::LONG, 'answers 503'],
        'php-408' => ['<?php http_response_code(408);', self::LONG, 'answers 408'],
        'php-499' => ['<?php http_response_code(499);', self::LONG, 'answers 499'],
        'php-304' => ['<?php http_response_code(304);', self::LONG, 'answers 304'],
        'php-exits' => ['<?php exit(1);', self::LONG, ''],
        'php-redirects' => ['<?php header("X-Accel-Redirect: /no/../../x");', self::LONG, 'answers 404'],
        'php-streams' => ['<?php while (true) { echo str_repeat("x", 65536); flush(); }', '50ms', 'within 50 ms'],
        'php-computes' => ['<?php while (true) {}', '50ms', 'within 50 ms'],
        'php-circle' => ['<?php header("X-Accel-Redirect: /php-circle/ready");', '50ms', 'within 50 ms'],
    ];

    private static string $scripts;

    private Client $client;

    public static function setUpBeforeClass(): void
    {
        self::$scripts = sys_get_temp_dir() . '/howdah-checkup-' . bin2hex(random_bytes(6));
        mkdir(self::$scripts);
    }

    public static function tearDownAfterClass(): void
    {
        parent::tearDownAfterClass();
        exec('rm -rf ' . escapeshellarg(self::$scripts));
    }

    protected function setUp(): void
    {
        parent::setUp();
        $locations = 'location /plain/ { howdah_health; }'
            . ' location /one/ { howdah_health script=/two/ready timeout=50ms; }'
            . ' location /two/ { howdah_health script=/one/ready timeout=50ms; }';
        foreach (self::PAGES as $name => [$page, $limit]) {
            if (str_starts_with($page, '<?php')) {
                file_put_contents(self::$scripts . "/$name.php", $page);
                $page = 'howdah_pass classic ' . self::$scripts . "/$name.php;";
            }
            $locations .= " location /$name/ { howdah_health script=/page-$name timeout=$limit; }"
                . " location = /page-$name { $page }";
        }
        $this->client = $this->share('worker', "$locations {$this->door()}");
        Clock::await(fn (): bool => $this->client->get('/plain/ready')->status === 200, 'the server is ready');
    }

    private function door(): string
    {
        $script = self::$scripts . '/door.php';
        file_put_contents($script, '<?php require_once ' . var_export(__DIR__ . '/door.php', true)
            . '; $at = __DIR__ . "/at"; is_file($at) && Howdah\HttpTests\waitAtDoor(file_get_contents($at));');

        return 'location /door/ { howdah_health script=/page-door timeout=' . self::LONG . '; }'
            . " location = /page-door { internal; howdah_pass classic $script; }";
    }

    protected static function options(string $mode): array
    {
        return ['--workers=1', '--concurrency=2', '--no-access-log', '--worker-script=' . self::APP . '/worker.php'];
    }

    /** @return list<array{string, string}> */
    public static function pages(): array
    {
        $pages = [];
        foreach (self::PAGES as $name => [, , $says]) {
            $pages[] = [$name, $says];
        }

        return $pages;
    }

    #[DataProvider('pages')]
    public function test_a_check_has_an_answer_whatever_its_page_does(string $name, string $says): void
    {
        foreach (['GET', 'HEAD'] as $method) {
            $http = new Http1($this->port);
            $http->send("$method /$name/ready HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc");
            $answer = $http->read($method === 'HEAD');
            self::assertSame($says === '' ? 200 : 503, $answer?->status, "$method: $answer?->body");
            self::assertStringContainsString($method === 'HEAD' ? '' : ($says ?: 'ready'), $answer->body);
            self::assertSame(200, $this->client->get("/$name/live")->status);
        }
    }

    public function test_two_that_ask_each_other_are_late(): void
    {
        $both = [(new Http1($this->port))->get('/one/ready'), (new Http1($this->port))->get('/two/ready')];
        foreach ($both as $http) {
            self::assertStringStartsWith('not ready: /', (string) $http->read()?->body);
        }
    }

    /** Two hundred at once, of which each second one leaves, the first of all among them. */
    public function test_of_a_crowd_those_that_stay_have_their_answer(): void
    {
        $door = new Door();
        file_put_contents(self::$scripts . '/at', $door->path);
        $first = (new Http1($this->port))->get('/door/ready');
        $door->await();
        $all = [$first];
        for ($i = 1; $i < 200; $i++) {
            $all[$i] = (new Http1($this->port))->get('/door/ready');
        }
        self::assertSame(200, $this->client->get('/plain/live')->status);
        for ($i = 0; $i < 200; $i += 2) {
            unset($all[$i]);
        }
        unset($first);
        unlink(self::$scripts . '/at');
        self::assertSame(200, $this->client->get('/door/live')->status);
        $door->open();
        self::assertCount(100, $all);
        foreach ($all as $http) {
            self::assertSame("ready\n", $http->read()?->body);
        }
    }

    public function test_a_worker_that_leaves_answers_those_that_wait(): void
    {
        $door = new Door();
        file_put_contents("{$this->folder}/page.php", '<?php require_once ' . var_export(__DIR__ . '/door.php', true)
            . "; Howdah\\HttpTests\\waitAtDoor('{$door->path}');");
        $client = $this->serve('worker', 'location /x/ { howdah_health script=/page timeout=' . self::LONG . '; }'
            . " location = /page { howdah_pass classic {$this->folder}/page.php; }");
        Clock::await(static fn (): bool => $client->get('/x/started')->status === 200, 'the server is ready');
        $checks = [(new Http1($this->port))->get('/x/ready')];
        $door->await();
        $checks[] = (new Http1($this->port))->get('/x/ready');
        self::assertSame(200, $client->get('/x/live')->status);
        posix_kill($this->master(), SIGQUIT);
        $listens = fn (): bool => @stream_socket_client("tcp://127.0.0.1:{$this->port}") !== false;
        Clock::await(static fn (): bool => !$listens(), 'the worker takes no more');
        $door->open();
        foreach ($checks as $check) {
            // By what it knows when it has left, the server is ready or not: it says so.
            self::assertContains($check->read()?->status, [200, 503]);
        }
        self::assertTrue($this->ends());
        self::assertStringNotContainsString('exited on signal', $this->log());
    }
}
