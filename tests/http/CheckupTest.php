<?php

declare(strict_types=1);

namespace Howdah\HttpTests;

use Howdah\Tests\Clock;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;

/** howdah_health with script=: what a script of the application says is part of whether the server is ready. */
#[Group('realms')]
final class CheckupTest extends DirectiveTestCase
{
    protected const APP = __DIR__ . '/pool';

    /** Longer than any test waits: where a script is not late. */
    private const LONG = 'timeout=600s';

    /** What each check has behind script=URI, and its script's location; one nginx serves them all. */
    private const CHECKS = [
        'status' => [self::LONG, ''],
        'elsewhere' => [self::LONG, ''],
        'throws' => [self::LONG, ''],
        'broken' => [self::LONG, ''],
        'breaks-off' => [self::LONG, 'howdah_request_timeout 200ms;'],
        'missing' => [self::LONG, ''],
        'seen' => ["?deep=1 " . self::LONG, ''],
        'many' => [self::LONG, ''],
        'kept' => [self::LONG, ''],
        'hangs' => ['timeout=100ms', ''],
        'leaves' => [self::LONG, ''],
        'leaves-http2' => [self::LONG, ''],
    ];

    private const OTHERS = 'location /queued/ { howdah_health script=/queued-well timeout=100ms; }'
        . 'location = /queued-well { internal; howdah_pass worker ' . self::APP . '/worker.php; }'
        . 'location /plain/ { howdah_health script=/plain-well; } location = /plain-well { return 204; }'
        . 'location /circle/ { howdah_health script=/circle/ready timeout=50ms; }';

    /** The scripts are there. */
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
        $directive = self::OTHERS;
        foreach (self::CHECKS as $name => [$says, $more]) {
            $says = str_starts_with($says, '?') ? $says : " $says";
            $script = self::$scripts . "/$name.php";
            $directive .= "location /$name/ { howdah_health script=/$name-well$says; }"
                . "location = /$name-well { internal; howdah_pass classic $script; $more }";
        }
        $this->client = $this->share('worker', $directive);
        Clock::await(fn (): bool => $this->health('plain/ready')[0] === 200, 'the server is ready');
    }

    protected static function options(string $mode): array
    {
        return ['--workers=1', '--concurrency=1', '--no-access-log', '--worker-script=' . self::APP . '/worker.php'];
    }

    /** @return array<string, array{string, string, int}> the check, what its script does, and the status of its answer */
    public static function illnesses(): array
    {
        return [
            'it says so' => ['status', 'http_response_code(503); echo "the database does not answer";', 503],
            'it leads elsewhere' => ['elsewhere', 'header("Location: /login");', 302],
            'it throws' => ['throws', 'throw new RuntimeException("no");', 500],
            'it does not compile' => ['broken', 'broken(', 500],
        ];
    }

    #[DataProvider('illnesses')]
    public function test_an_ill_application_is_not_ready(string $check, string $code, int $status): void
    {
        $this->write($check, $code);
        self::assertSame([503, "not ready: /$check-well answers $status\n"], $this->health("$check/ready"));
        self::assertSame([200, "live\n"], $this->health("$check/live"));
        self::assertSame([200, "started\n"], $this->health("$check/started"));
        self::assertSame(404, $this->client->get("/$check-well")->status);
    }

    /** By a limit of its location's, when a part of the answer is on its way. */
    public function test_a_script_that_breaks_off_is_the_reason(): void
    {
        $door = new Door();
        $this->write('breaks-off', 'echo str_repeat("x", 100000); flush();' . self::waitsAt($door));

        $says = "not ready: /breaks-off-well has broken off its answer\n";
        $found = $this->health('breaks-off/ready');
        if (str_contains($found[1], ' answers 50')) {
            Clock::late("its time was over before it had sent a part: $found[1]");
        }
        self::assertSame([503, $says], $found);
        $door->open();
        $this->awaitHealth([200, "ready\n"], 'breaks-off/ready');
    }

    public function test_a_script_that_is_missing_is_the_reason(): void
    {
        self::assertSame([503, "not ready: /missing-well answers 404\n"], $this->health('missing/ready'));
        $this->write('missing', 'http_response_code(204);');
        $this->awaitHealth([200, "ready\n"], 'missing/ready');
    }

    public function test_the_script_sees_a_request_for_itself(): void
    {
        $told = "{$this->folder}/told";
        $server = '$_SERVER["REQUEST_METHOD"], $_SERVER["REQUEST_URI"], $_SERVER["HTTP_HOST"]';
        $seen = "$server, \$_GET, file_get_contents('php://input')";
        $this->write('seen', "file_put_contents('$told', json_encode([$seen]));");
        $http = new Http1($this->port);
        $http->send("GET /seen/ready HTTP/1.1\r\nHost: shop.test\r\nContent-Length: 4\r\n\r\nbody");

        self::assertSame("ready\n", $http->read()?->body);
        $wanted = ['GET', '/seen-well?deep=1', 'shop.test', ['deep' => '1'], ''];
        self::assertSame($wanted, json_decode((string) file_get_contents($told), true));
    }

    public function test_many_checks_are_one_request_for_php(): void
    {
        $door = new Door();
        $begun = "{$this->folder}/begun";
        $this->write('many', "file_put_contents('$begun', 'x', FILE_APPEND);" . self::waitsAt($door));
        $first = $this->ask('many');
        $door->await();
        $others = array_map(fn (): Http1 => $this->ask('many'), range(1, 40));
        // nginx has heard of all of them when one that came later has its answer: no worker is held meanwhile.
        self::assertSame(200, $this->client->get('/echo')->status);
        self::assertSame(200, $this->health('many/live')[0]);
        self::assertSame(1, $door->count());

        $door->open();
        foreach ([$first, ...$others] as $http) {
            self::assertSame("ready\n", $http->read()?->body);
        }
        self::assertSame('x', file_get_contents($begun));
    }

    public function test_what_was_found_is_kept_for_a_while(): void
    {
        $begun = "{$this->folder}/begun";
        $this->write('kept', "file_put_contents('$begun', 'x', FILE_APPEND);");
        $asked = function (int $checks) use ($begun): int {
            $before = strlen((string) @file_get_contents($begun));
            for ($i = 0; $i < $checks; $i++) {
                self::assertSame(200, $this->health('kept/ready')[0]);
            }

            return strlen((string) file_get_contents($begun)) - $before;
        };
        Clock::await(static fn (): bool => $asked(3) === 1, 'three checks at once are one for the script');
        Clock::await(static fn (): bool => $asked(1) === 1, 'the script is asked again');
    }

    public function test_a_script_that_hangs_is_late_and_told_to_end(): void
    {
        $door = new Door();
        $ended = "{$this->folder}/ended";
        $this->write('hangs', "register_shutdown_function(touch(...), '$ended');" . self::waitsAt($door));

        self::assertSame([503, "not ready: /hangs-well has not answered within 100 ms\n"], $this->health('hangs/ready'));
        self::assertSame([200, "live\n"], $this->health('hangs/live'));
        self::assertSame([200, "started\n"], $this->health('hangs/started'));
        Clock::await(static fn (): bool => file_exists($ended), 'the script has ended');
        $door->open();
        $this->awaitHealth([200, "ready\n"], 'hangs/ready');
    }

    /** Its pool has one realm, and another request has that. */
    public function test_a_script_that_waits_for_a_realm_is_late(): void
    {
        $door = new Door();
        $holds = (new Http1($this->port))->get("/door?at={$door->path}");
        $door->await();
        self::assertSame([503, "not ready: /queued-well has not answered within 100 ms\n"], $this->health('queued/ready'));
        self::assertSame([200, "live\n"], $this->health('queued/live'));

        $door->open();
        self::assertSame('opened', $holds->read()?->body);
        $this->awaitHealth([200, "ready\n"], 'queued/ready');
    }

    public function test_a_check_that_leaves_takes_no_answer_with_it(): void
    {
        $door = new Door();
        $this->write('leaves', self::waitsAt($door));
        $first = $this->ask('leaves');
        $door->await();
        $second = $this->ask('leaves');
        self::assertSame(200, $this->health('leaves/live')[0]);
        unset($first);
        self::assertSame(200, $this->health('leaves/live')[0]);
        $door->open();
        self::assertSame("ready\n", $second->read()?->body);
    }

    public function test_with_http2_a_check_that_leaves_takes_no_answer_with_it(): void
    {
        $door = new Door();
        $this->write('leaves-http2', self::waitsAt($door));
        $url = "http://127.0.0.1:{$this->port2}/leaves-http2/ready";
        $first = proc_open(['curl', '-s', '--http2-prior-knowledge', $url], [], $pipes);
        self::assertIsResource($first);
        $door->await();
        $second = $this->ask('leaves-http2');
        self::assertSame(200, $this->health('leaves-http2/live')[0]);
        proc_terminate($first, SIGKILL);
        proc_close($first);
        self::assertSame(200, $this->health('leaves-http2/live')[0]);
        $door->open();
        self::assertSame("ready\n", $second->read()?->body);
    }

    public function test_what_answers_need_not_be_php(): void
    {
        self::assertSame([200, "ready\n"], $this->health('plain/ready'));
        self::assertSame(204, $this->client->get('/plain-well')->status);
    }

    /** A location that asks itself. */
    public function test_a_circle_is_late(): void
    {
        self::assertSame([503, "not ready: /circle/ready has not answered within 50 ms\n"], $this->health('circle/ready'));
        self::assertSame(200, $this->health('circle/live')[0]);
    }

    private static function waitsAt(Door $door): string
    {
        return 'require_once ' . var_export(__DIR__ . '/door.php', true) . "; Howdah\\HttpTests\\waitAtDoor('{$door->path}');";
    }

    private function write(string $check, string $code): void
    {
        file_put_contents(self::$scripts . "/$check.php", "<?php $code");
    }

    private function ask(string $check): Http1
    {
        return (new Http1($this->port))->get("/$check/ready");
    }

    /**
     * @return array{int, string} status and body
     * @phpstan-impure
     */
    private function health(string $check): array
    {
        $response = $this->client->get("/$check");

        return [$response->status, $response->body];
    }

    /** @param array{int, string} $wanted */
    private function awaitHealth(array $wanted, string $check): void
    {
        $found = fn (): array => $this->health($check);
        Clock::await(static fn (): bool => $found() === $wanted, static fn (): string => "$wanted[1], not {$found()[1]}");
    }
}
