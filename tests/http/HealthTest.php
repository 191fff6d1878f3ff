<?php

declare(strict_types=1);

namespace Howdah\HttpTests;

use Howdah\Tests\Clock;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;

/** howdah_health: whether the server lives, has started, and is ready. */
#[Group('realms')]
final class HealthTest extends DirectiveTestCase
{
    protected const APP = __DIR__ . '/pool';

    private const HEALTH = 'location /health/ { howdah_health; }';

    /** Nobody waits where there is none: a worker script comes here as it boots. */
    private string $door;

    protected function setUp(): void
    {
        parent::setUp();
        $this->door = Door::newPath();
    }

    protected static function options(string $mode): array
    {
        $script = $mode === 'worker' ? '--worker-script=' . self::APP . '/worker.php' : '--mode=classic';

        return ['--workers=1', '--concurrency=1', '--no-access-log', $script];
    }

    public function test_a_server_that_boots_lives_and_is_ready_later(): void
    {
        $door = new Door($this->door);
        $this->serveWith(self::HEALTH);
        $door->await();

        self::assertSame([200, "live\n"], $this->health('live'));
        self::assertSame([503, "not started: no worker has booted yet\n"], $this->health('started'));
        self::assertSame([503, "not ready: 0 of 1 workers have booted and take requests\n"], $this->health('ready'));
        $door->open();
        $this->awaitHealth([200, "ready\n"], 'ready');
        self::assertSame([200, "started\n"], $this->health('started'));
    }

    public function test_classic_mode_has_started_at_once(): void
    {
        $this->serve('classic', self::HEALTH);
        self::assertSame([200, "ready\n"], $this->health('ready'));
        self::assertSame([200, "started\n"], $this->health('startupz'));
    }

    public function test_a_script_that_does_not_boot_is_the_reason(): void
    {
        $broken = "{$this->folder}/broken";
        touch($broken);
        $this->serveWith(self::HEALTH, ["pool.broken=$broken"]);

        $says = 'not ready: 0 of 1 workers have booted and take requests, a worker script does not boot: see the error log';
        $this->awaitHealth([503, "$says\n"], 'readyz');
        unlink($broken);
        $this->awaitHealth([200, "ready\n"], 'readyz');
    }

    public function test_ready_needs_room_in_the_queue_and_no_file_that_says_drain(): void
    {
        $drain = "{$this->folder}/drain file";
        $health = "location /health/ { howdah_health queue=2 \"drain=$drain\"; } location = /always { howdah_health live; }";
        $client = $this->serveWith($health);
        $this->awaitHealth([200, "ready\n"], 'ready');

        $door = new Door();
        $asked = array_map(fn (): Http1 => (new Http1($this->port))->get("/door?at={$door->path}"), range(1, 3));
        $this->awaitHealth([503, "not ready: 2 requests wait for a realm, 2 are too many\n"], 'ready');
        self::assertSame(200, $this->health('started')[0]);
        $door->open();
        foreach ($asked as $http) {
            self::assertSame('opened', $http->read()?->body);
        }
        $this->awaitHealth([200, "ready\n"], 'ready');

        touch($drain);
        self::assertSame([503, "not ready: \"$drain\" is there\n"], $this->health('any'));
        self::assertSame("live\n", $client->get('/always')->body);
        self::assertSame(200, $client->get('/echo')->status);
        unlink($drain);
        self::assertSame(200, $this->health('ready')[0]);
    }

    public function test_a_worker_that_was_killed_is_missed_until_another_has_booted(): void
    {
        $two = ['worker_processes 1;' => 'worker_processes 2;'];
        $needsTwo = 'location /two/ { howdah_health ready workers=2; limit_except POST { } }';
        $client = $this->serveWith(self::HEALTH . $needsTwo, [], $two);
        $ready = static fn (): bool => $client->get('/two/')->status === 200;
        Clock::await($ready, 'two are ready');

        $door = new Door($this->door);
        posix_kill($this->workers()[0], SIGKILL);
        $door->await();
        self::assertSame(503, $client->get('/two/')->status);
        self::assertSame([200, "ready\n"], $this->health('ready'));
        $door->open();
        Clock::await($ready, 'two are ready again');
    }

    /** @return array<string, array{string, string}> words of the directive, and what is said of them */
    public static function mistakes(): array
    {
        $takes = 'takes "live", "started" or "ready", and "queue=N", "workers=N" (1 or more), "drain=FILE", "script=/URI" and '
            . '"timeout=TIME", not';

        return [
            'unknown' => ['alive', "$takes \"alive\""],
            'no number' => ['queue=many', "$takes \"queue=many\""],
            'none' => ['workers=0', "$takes \"workers=0\""],
            'no file' => ['drain=', "$takes \"drain=\""],
            'no URI' => ['script=well.php', "$takes \"script=well.php\""],
            'no time' => ['script=/well timeout=0', "$takes \"timeout=0\""],
            'no script' => ['timeout=1s', 'has a "timeout=", which is a script\'s, but no "script=URI"'],
            'lives by a script' => ['live script=/well', 'asks a script only whether the server is ready: say "ready"'],
            'twice' => ['; howdah_health', 'is duplicate'],
            'beside another' => ['; howdah_status', 'cannot stand beside what answers in this location already'],
            'beside PHP' => ['; howdah_pass classic /a.php', 'cannot stand beside howdah_status, howdah_health or howdah_top'],
        ];
    }

    #[DataProvider('mistakes')]
    public function test_a_mistake_is_named(string $words, string $says): void
    {
        $module = (getenv('HOWDAH_BUILD') ?: dirname(__DIR__, 2) . '/build') . '/ngx_http_howdah_module.so';
        $server = 'listen 127.0.0.1:' . Server::freePort() . "; location / { howdah_health $words; }";
        $text = "load_module $module; pid nginx.pid; events {} http { access_log off; server { $server } }";
        file_put_contents("{$this->folder}/nginx.conf", $text);
        exec("nginx -t -p {$this->folder} -e stderr -c nginx.conf 2>&1", $lines, $status);

        self::assertSame(1, $status);
        self::assertStringContainsString($says, implode("\n", $lines));
    }

    /**
     * In worker mode.
     *
     * @param list<string>          $settings
     * @param array<string, string> $edits
     */
    private function serveWith(string $directive, array $settings = [], array $edits = []): Client
    {
        $ini = '';
        foreach (["pool.door={$this->door}", ...$settings] as $setting) {
            $ini .= "howdah_ini \"$setting\"; ";
        }

        return $this->serve('worker', $directive, ['http {' => "http { $ini", ...$edits]);
    }

    /** @return array{int, string} status and body */
    private function health(string $what): array
    {
        $response = (new Client("http://127.0.0.1:{$this->port}"))->get("/health/$what");

        return [$response->status, $response->body];
    }

    /** @param array{int, string} $wanted */
    private function awaitHealth(array $wanted, string $what): void
    {
        $found = fn (): array => $this->health($what);
        Clock::await(static fn (): bool => $found() === $wanted, static fn (): string => "$wanted[1], not {$found()[1]}");
    }
}
