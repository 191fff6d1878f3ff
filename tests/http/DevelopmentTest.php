<?php

declare(strict_types=1);

namespace Howdah\HttpTests;

use Howdah\Tests\Clock;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;

/**
 * `howdah serve --watch`: once the command has said that a file changed, the very next request runs the new code, in whatever
 * worker. That says more than a clock would, which measures the machine as well.
 */
#[Group('realms')]
final class DevelopmentTest extends HttpTestCase
{
    private const SAID = 'changed: new requests run the new code';

    private const WORKER = <<<'PHP'
        <?php
        file_put_contents(__DIR__ . '/storage/boots', '.', FILE_APPEND);
        is_file(__DIR__ . '/boot.php') && require __DIR__ . '/boot.php';
        $version = require __DIR__ . '/src/code.php';
        $env = is_file(__DIR__ . '/.env') ? trim(file_get_contents(__DIR__ . '/.env')) : '';
        while (frankenphp_handle_request(static function () use ($version, $env): void {
            $_SERVER['REQUEST_URI'] === '/door' && require __DIR__ . '/door.php';
            echo $version, $env;
        })) {
        }
        PHP;

    private string $folder;

    protected function setUp(): void
    {
        $this->folder = sys_get_temp_dir() . '/howdah-development-' . bin2hex(random_bytes(6));
        mkdir("{$this->folder}/src", recursive: true);
        mkdir("{$this->folder}/storage");
        $this->save('src/code.php', "<?php\nreturn 'version 0';\n");
        $this->save('index.php', "<?php\n\$version = require __DIR__ . '/src/code.php';\n"
            . "\$_SERVER['REQUEST_URI'] === '/door' && require __DIR__ . '/door.php';\necho \$version;\n");
        $this->save('worker.php', self::WORKER);
    }

    protected function tearDown(): void
    {
        parent::tearDown();
        exec('rm -rf ' . escapeshellarg($this->folder));
    }

    #[DataProvider('modes')]
    public function test_the_next_request_after_a_save_runs_the_new_code(string $mode): void
    {
        $server = $this->start($mode);
        for ($version = 1; $version <= 10; ++$version) {
            $this->change($server, fn () => $this->saveVersion($version));

            self::assertSame(["version $version"], $this->bodies($server, 8), $server->errors());
        }

        $this->change($server, fn () => $this->save('src/code.php', "<?php\nreturn 'vers"));
        self::assertSame(500, $server->client->get('/')->status, 'a file that is half written');
        self::assertMatchesRegularExpression('~PHP Parse error.*src/code\.php~', $server->errors());

        $this->change($server, fn () => $this->saveVersion(11));
        self::assertSame(['version 11'], $this->bodies($server, 4));
    }

    #[DataProvider('modes')]
    public function test_a_request_that_runs_ends_as_it_began(string $mode): void
    {
        $door = new Door();
        $this->save('door.php', '<?php require_once ' . var_export(__DIR__ . '/door.php', true) . ";\n"
            . '\Howdah\HttpTests\waitAtDoor(' . var_export($door->path, true) . ");\n");
        $server = $this->start($mode);
        $request = (new Http1($server->port))->get('/door', "Connection: close\r\n");
        $door->await();

        $this->change($server, fn () => $this->saveVersion(1));

        self::assertSame(['version 1'], $this->bodies($server, 4), 'meanwhile');
        $door->open();
        $response = $request->read();
        self::assertSame([200, 'version 0'], [$response?->status, $response?->body]);
        self::assertSame(['version 1'], $this->bodies($server, 4), 'its realm has gone');
    }

    public function test_a_worker_that_hears_of_nothing_for_long_runs_the_new_code_when_it_hears(): void
    {
        $cork = new Cork();
        $this->save('door.php', '<?php require_once ' . var_export(__DIR__ . '/door.php', true) . ";\n"
            . '\Howdah\HttpTests\stickAtCork(' . var_export($cork->path, true) . ");\n");
        $server = $this->start('classic', '--workers=1', '--ini=ffi.enable=1');
        $request = (new Http1($server->port))->get('/door', "Connection: close\r\n");
        $cork->await();

        $this->change($server, function () use ($server, $cork): void {
            $this->saveVersion(1);
            $says = static fn (): bool => str_contains($server->errors(), 'no worker answers: requests may run the old code');
            $server->eventually($says);
            $cork->pull();
        });

        self::assertSame('version 0', $request->read()?->body);
        self::assertSame(['version 1'], $this->bodies($server, 4));
        self::assertSame(1, substr_count($server->errors(), 'no worker answers'));
    }

    public function test_all_that_an_application_takes_in_counts_and_what_it_writes_does_not(): void
    {
        $server = $this->start('worker');
        $this->change($server, fn () => $this->save('.env', "A\n"));
        self::assertSame(['version 0A'], $this->bodies($server, 4), 'a file that an editor puts in place');
        $this->change($server, fn () => file_put_contents("{$this->folder}/.env", "B\n"));
        self::assertSame(['version 0B'], $this->bodies($server, 4), 'written in place');

        $this->change($server, function (): void {
            mkdir("{$this->folder}/storage/new.1");
            file_put_contents("{$this->folder}/storage/new.1/code.php", "<?php\nreturn 'version 1';\n");
            rename("{$this->folder}/src", "{$this->folder}/storage/old");
            rename("{$this->folder}/storage/new.1", "{$this->folder}/src");
        });
        $shows = fn (string $body): bool => $server->eventually(fn (): bool => $this->bodies($server, 4) === [$body]);
        self::assertTrue($shows('version 1B'), 'another folder in its place');
        $this->fence($server);
        $this->change($server, fn () => $this->saveVersion(2));
        self::assertSame(['version 2B'], $this->bodies($server, 4), 'it is watched');

        $this->change($server, function (): void {
            exec('rm -r ' . escapeshellarg("{$this->folder}/src"));
            mkdir("{$this->folder}/src");
            file_put_contents("{$this->folder}/src/code.php", "<?php\nreturn 'version 3';\n");
        });
        self::assertTrue($shows('version 3B'), 'deleted, and made again');
        $this->fence($server);
        $this->change($server, function (): void {
            file_put_contents("{$this->folder}/storage/linked.php", "<?php\nreturn 'version 4';\n");
            unlink("{$this->folder}/src/code.php");
            symlink("{$this->folder}/storage/linked.php", "{$this->folder}/src/code.php");
        });
        self::assertTrue($shows('version 4B'), 'a link');

        // Of none of these a word is said: the line that comes next names what was saved after them.
        $this->fence($server);
        $said = substr_count($server->errors(), self::SAID);
        $others = ['storage/cached.php', 'storage/old/code.php', 'src/.code.php.swp', 'src/code.php~', 'src/4913', 'src/a.log'];
        foreach ([...$others, 'src/database.sqlite', 'src/style.css'] as $other) {
            file_put_contents("{$this->folder}/$other", 'x');
        }
        $this->change($server, fn () => $this->save('src/last.php', ''));
        self::assertSame($said + 1, substr_count($server->errors(), self::SAID), $server->errors());
        self::assertStringContainsString("{$this->folder}/src/last.php " . self::SAID, $server->errors());

        // As a checkout of another branch, or Composer: many files at once are few changes.
        $said = substr_count($server->errors(), self::SAID);
        foreach (range(1, 1000) as $number) {
            file_put_contents("{$this->folder}/src/file$number.php", "<?php\n");
        }
        $this->saveVersion(5);
        self::assertTrue($shows('version 5B'));
        self::assertLessThan($said + 100, substr_count($server->errors(), self::SAID));
    }

    public function test_a_project_that_is_moved_away_and_comes_again_is_watched(): void
    {
        $server = $this->start('worker');
        $this->change($server, function (): void {
            exec('cp -r ' . escapeshellarg($this->folder) . ' ' . escapeshellarg("{$this->folder}.next"));
            file_put_contents("{$this->folder}.next/src/code.php", "<?php\nreturn 'version 1';\n");
            rename($this->folder, "{$this->folder}.old");
            rename("{$this->folder}.next", $this->folder);
        });
        self::assertTrue($server->eventually(fn (): bool => $this->bodies($server, 2) === ['version 1']), $server->errors());

        // Until it is watched again nobody sees a save: what was saved meanwhile is told of when it is.
        $this->saveVersion(2);

        self::assertTrue($server->eventually(fn (): bool => $this->bodies($server, 2) === ['version 2']), $server->errors());
        exec('rm -rf ' . escapeshellarg("{$this->folder}.old"));
    }

    /** Caches are written while applications boot, also where nobody expects it. */
    public function test_an_application_that_saves_code_while_it_boots_is_served_and_does_not_boot_for_ever(): void
    {
        // It ends when one has been told of that it saved: the first line may be of another boot.
        $this->save('boot.php', <<<'PHP'
            <?php
            $log = __DIR__ . '/storage/log';
            $said = static fn (): int => is_file($log) ? substr_count((string) file_get_contents($log), 'made.php') : 0;
            $end = $said() + 2;
            do {
                file_put_contents(__DIR__ . '/src/made.php', '<?php // ' . bin2hex(random_bytes(4)));
                usleep(20000);
            } while (is_file($log) && $said() < $end);
            PHP);
        $server = $this->start('worker', '--workers=1');
        $server->eventually(static fn (): bool => str_contains($server->errors(), self::SAID));
        symlink("{$server->temporary}/err", "{$this->folder}/storage/log");

        for ($request = 1; $request <= 5; ++$request) {
            self::assertSame('version 0', $server->client->get('/')->body);
        }
        $boots = fn (): int => strlen((string) file_get_contents("{$this->folder}/storage/boots"));

        // There are no more for as long as a second and a half, however often this machine stands still.
        $last = 0;
        $still = Clock::start();
        Clock::await(static function () use ($boots, &$last, &$still): bool {
            [$before, $last] = [$last, $boots()];
            $still = $last === $before ? $still : Clock::start();

            return $still->seconds() > 1.5;
        }, static fn (): string => "it boots no more, {$boots()} times: {$server->errors()}");
        // One at the start, one for each request, and another in the background after each: more where a save is told of late.
        $last <= 1 + 2 * 5 || Clock::late("it boots 11 times, not $last: {$server->errors()}");
    }

    public function test_many_saves_under_load_lose_no_request_and_no_memory(): void
    {
        $saves = getenv('HOWDAH_LONG') !== false ? 1000 : 60;
        $server = $this->start('worker', '--concurrency=4');
        $crowd = new Crowd($server->port, 4, 4);
        $early = 0;
        for ($version = 1; $version <= $saves; ++$version) {
            $this->saveVersion($version);
            Clock::await(static function () use ($crowd, $version): bool {
                $crowd->turn();

                return isset($crowd->answers["200 version $version"]);
            }, fn (): string => "version $version is served: {$server->errors()}");
            $early = $version === $saves / 10 ? $this->memory($server) : $early;
        }
        $crowd->rest();

        self::assertSame([], $crowd->lost);
        self::assertSame([], preg_grep('/^200 version \d+$/', array_keys($crowd->answers), PREG_GREP_INVERT));
        // Nine times as many saves again: a realm that stayed would be 200 KB.
        self::assertLessThan($early + 8192, $this->memory($server), 'KB of private memory');
    }

    public function test_another_htaccess_is_obeyed(): void
    {
        $server = $this->start('classic');
        $this->save('notes.html', 'notes');
        self::assertSame('notes', $server->client->get('/notes.html')->body);

        $this->save('.htaccess', "<Files notes.html>\nRequire all denied\n</Files>\n");

        $server->eventually(static fn (): bool => $server->client->get('/notes.html')->status === 403);
        $server->eventually(static fn (): bool => str_contains($server->errors(), 'reloaded: new workers serve'));
        $this->change($server, fn () => $this->saveVersion(1));
        self::assertSame(['version 1'], $this->bodies($server, 4));
    }

    public function test_live_reload_tells_pages_and_who_listens(): void
    {
        $this->save('.env', '</body>');
        $server = $this->start('worker', '--live-reload', '--workers=1');
        $seen = fn (): string => preg_match('~live-reload\.js\?(\d+)"~', $server->client->get('/')->body, $match) === 1
            ? $match[1]
            : 'no script';
        self::assertSame('0', $seen());
        $script = $server->client->get('/_howdah/live-reload.js');
        self::assertStringContainsString('javascript', (string) $script->header('content-type'));
        self::assertStringContainsString('new EventSource("/_howdah/renewals")', $script->body);

        $socket = stream_socket_client("tcp://127.0.0.1:{$server->port}");
        self::assertIsResource($socket);
        stream_set_timeout($socket, (int) Clock::PATIENCE);
        fwrite($socket, "GET /_howdah/renewals HTTP/1.0\r\n\r\n");
        $head = (string) stream_get_line($socket, 4096, "\r\n\r\n");
        self::assertStringContainsString('Content-Type: text/event-stream', $head);
        self::assertSame('data: 0', stream_get_line($socket, 4096, "\n\n"));
        $this->save('src/style.css', 'body {}');
        self::assertSame('data: 1', stream_get_line($socket, 4096, "\n\n"));
        $server->eventually(static fn (): bool => str_contains($server->errors(), 'style.css changed: pages in browsers load'));
        self::assertSame('1', $seen());
        self::assertStringEqualsFile("{$this->folder}/storage/boots", '.', 'a style sheet is no code: no realm ends');
        $this->change($server, fn () => $this->saveVersion(1));
        self::assertSame('data: 2', stream_get_line($socket, 4096, "\n\n"));
        self::assertSame('2', $seen());
        self::assertStringContainsString('version 1<script', $server->client->get('/')->body);
        self::assertSame(405, $server->client->post('/_howdah/renewals', '')->status);

        // A stream does not hold up the end.
        $server->signal(SIGTERM);
        self::assertSame(0, $server->await(), $server->errors());
        self::assertFalse(stream_get_line($socket, 4096, "\n\n"));
    }

    /** @return array<string, array{string, int, string}> */
    public static function limits(): array
    {
        return [
            'folders' => ['watches', 2, 'polling limit'],
            'programs' => ['instances', 0, 'polling instances'],
            // Its root twice.
            'folders, while it runs' => ['watches', 4, 'inotify 3'],
        ];
    }

    #[DataProvider('limits')]
    public function test_an_exhausted_limit_is_said_and_changes_are_seen_all_the_same(
        string $lacks,
        int $left,
        string $expected,
    ): void {
        $build = getenv('HOWDAH_BUILD') ?: dirname(__DIR__, 2) . '/build';
        $limits = dirname(__DIR__, 2) . '/build/inotify-limits.so';
        pcntl_signal(SIGUSR2, SIG_IGN);
        $variables = ["LD_PRELOAD=$limits", "INOTIFY_LACKS=$lacks", "INOTIFY_LEFT=$left"];
        $command = ['env', ...$variables, "$build/howdah-run", '--watch', $this->folder];
        $watcher = proc_open($command, [['file', '/dev/null', 'r'], ['pipe', 'w']], $pipes);
        self::assertIsResource($watcher);
        self::assertSame("R $expected\n", fgets($pipes[1]));
        if ($expected === 'inotify 3') {
            mkdir("{$this->folder}/src/new");
            // All is new to who could not look meanwhile.
            $lines = [fgets($pipes[1]), fgets($pipes[1]), fgets($pipes[1])];
            self::assertSame(["C {$this->folder}/src/new/\n", "C {$this->folder}/\n", "R polling limit\n"], $lines);
        }
        // It was written when all had been seen once.
        file_put_contents("{$this->folder}/src/code.php", "<?php\n");

        self::assertSame("C {$this->folder}/src/code.php\n", fgets($pipes[1]));

        proc_terminate($watcher, SIGKILL);
        proc_close($watcher);
        pcntl_signal(SIGUSR2, SIG_DFL);
    }

    public function test_polling_is_there_for_file_systems_that_tell_nothing(): void
    {
        $server = $this->start('worker', '--watch=poll');
        self::assertStringContainsString('as --watch=poll says', $server->errors());
        $this->change($server, fn () => $this->saveVersion(1));

        self::assertSame(['version 1'], $this->bodies($server, 4));
        self::assertStringContainsString('is unknown', Howdah::run(['serve', $this->folder, '--watch=x'])->errors);
    }

    #[Group('clock')]
    public function test_a_save_in_a_project_of_10_000_files_shows_within_200_ms(): void
    {
        for ($number = 0; $number < 10_000; ++$number) {
            $folder = "{$this->folder}/src/" . intdiv($number, 50);
            $number % 50 === 0 && mkdir($folder);
            touch("$folder/file$number.php");
        }
        $saves = getenv('HOWDAH_LONG') !== false ? 100 : 10;
        $server = $this->start('worker');
        for ($version = 1; $version <= $saves; ++$version) {
            $this->saveVersion($version);
            $clock = Clock::start();
            $server->eventually(static fn (): bool => $server->client->get('/')->body === "version $version");
            $clock->assertWithin(0.2, 'the new code runs');
        }
    }

    private function start(string $mode, string ...$options): Server
    {
        $script = $mode === 'worker' ? "--worker-script={$this->folder}/worker.php" : '--mode=classic';
        $watch = preg_grep('/^--(watch|live-reload)/', $options) === [] ? ['--watch'] : [];
        $server = new Server($this->folder, ['--workers=2', '--no-access-log', $script, ...$watch, ...array_values($options)]);
        $this->keep($server)->awaitReady();
        $server->eventually(static fn (): bool => preg_match('/watching|looking/', $server->errors()) === 1);

        return $server;
    }

    /**
     * Returns when the server has said that it knows of the change.
     *
     * @param callable(): mixed $change
     */
    private function change(Server $server, callable $change): void
    {
        $before = substr_count($server->errors(), self::SAID);
        $change();
        $server->eventually(static fn (): bool => substr_count($server->errors(), self::SAID) > $before);
    }

    /** Returns when all has been told that was saved before: the latest save is, and alone. */
    private function fence(Server $server): void
    {
        $number = 0;
        $server->eventually(function () use ($server, &$number): bool {
            $name = 'src/fence' . ++$number . '.php';
            $this->change($server, fn () => $this->save($name, ''));

            return str_contains($server->errors(), "{$this->folder}/$name " . self::SAID);
        });
    }

    /** @return list<string> what so many requests at once get, each once */
    private function bodies(Server $server, int $count): array
    {
        $bodies = array_map(fn (Response $each): string => $each->body, $server->client->all(array_fill(0, $count, '/')));

        return array_values(array_unique($bodies));
    }

    /** KB that the workers have for themselves. */
    private function memory(Server $server): int
    {
        return array_sum(array_map(static function (int $pid): int {
            preg_match_all('/^Private_\w+:\s+(\d+)/m', (string) file_get_contents("/proc/$pid/smaps_rollup"), $found);

            return (int) array_sum(array_map(intval(...), $found[1]));
        }, $server->workers()));
    }

    private function saveVersion(int $version): void
    {
        $this->save('src/code.php', "<?php\nreturn 'version $version';\n");
    }

    private function save(string $name, string $text): void
    {
        file_put_contents("{$this->folder}/storage/.new", $text);
        rename("{$this->folder}/storage/.new", "{$this->folder}/$name");
    }
}
