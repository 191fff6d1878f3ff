<?php

declare(strict_types=1);

namespace Howdah\HttpTests;

use Howdah\Tests\Clock;
use Howdah\WaitingTests\Certificate;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;

/** Workers that leave, and those that follow them: no request is lost, whatever connection it comes on. */
#[Group('realms')]
final class SuccessionTest extends HttpTestCase
{
    private const LOOP = <<<'PHP'
        <?php
        require __DIR__ . '/boot.php';
        while (frankenphp_handle_request(static function (): void {
            require __DIR__ . '/page.php';
        })) {
        }
        PHP;

    /** What a request does, in either mode. */
    private const PAGE = <<<'PHP'
        <?php
        if (isset($_GET['quit'])) {
            // As stickAtCork() of door.php. From the signal on nothing parks: the turn of the loop goes on.
            $libc = \FFI::cdef('int open(const char *path, int flags);', 'libc.so.6');
            $door = stream_socket_client("unix://{$_GET['quit']}");
            posix_kill(getmypid(), 3); // SIGQUIT
            $libc->open("{$_GET['quit']}.fifo", 0);
        }
        // A wait, after which a request would meet another release, and its answer comes with others.
        usleep(2000);
        echo require __DIR__ . '/code.php', ', ', require __DIR__ . '/other.php';
        PHP;

    private string $folder;

    protected function setUp(): void
    {
        $this->folder = sys_get_temp_dir() . '/howdah-succession-' . bin2hex(random_bytes(6));
        mkdir($this->folder);
        chmod($this->folder, 0755);
        $this->release(0);
        symlink('0', "{$this->folder}/current");
    }

    protected function tearDown(): void
    {
        parent::tearDown();
        exec('rm -rf ' . escapeshellarg($this->folder));
    }

    /**
     * nginx asks the kernel once in a turn of its loop, which lasts as long as the PHP in it, and closes all connections at its
     * end on which it knows of no request.
     */
    #[DataProvider('modes')]
    public function test_a_request_that_lies_unread_when_its_worker_is_told_to_leave_is_served(string $mode): void
    {
        $server = $this->start($mode, '--workers=1', '--ini=ffi.enable=1');
        $this->askWhileItLeaves($server->port, new Http1($server->port));
    }

    public function test_so_is_one_on_a_connection_with_tls(): void
    {
        $tls = Server::freePort();
        require_once __DIR__ . '/../waiting/Certificate.php';
        Certificate::write($this->folder);
        mkdir("{$this->folder}/nginx");
        $options = ['--mode=classic', '--workers=1', '--ini=ffi.enable=1'];
        $server = new Nginx("{$this->folder}/nginx", "{$this->folder}/current", $options, "listen 127.0.0.1:$tls ssl;"
            . " ssl_certificate {$this->folder}/server.crt; ssl_certificate_key {$this->folder}/server.key;");
        try {
            $server->awaitReady();
            $context = stream_context_create(['ssl' => ['verify_peer' => false, 'verify_peer_name' => false]]);
            $flags = STREAM_CLIENT_CONNECT;
            $socket = stream_socket_client("ssl://127.0.0.1:$tls", $code, $message, Clock::PATIENCE, $flags, $context);
            self::assertIsResource($socket, (string) $message);
            stream_set_timeout($socket, (int) Clock::PATIENCE);
            $idle = new Http1($server->port);
            $idle->socket = $socket;
            $this->askWhileItLeaves($server->port, $idle);
        } finally {
            $server->stop();
        }
    }

    private function askWhileItLeaves(int $port, Http1 $idle): void
    {
        self::assertSame('0, 0', $idle->get('/')->read()?->body);
        $cork = new Cork();
        $leaves = (new Http1($port))->get("/?quit={$cork->path}");
        $cork->await();
        $idle->get('/');

        $cork->pull();

        self::assertSame('0, 0', $leaves->read()?->body);
        $answer = $idle->read();
        self::assertSame('0, 0', $answer?->body);
        self::assertSame('close', $answer->header('connection'), 'a client would send the next one');
    }

    /** @return array<string, array{string, int, int}> mode, reloads, requests at least */
    public static function loads(): array
    {
        $long = (bool) getenv('HOWDAH_LONG');

        return [
            'worker' => ['worker', $long ? 20 : 2, $long ? 10_000 : 300],
            'classic' => ['classic', $long ? 20 : 2, $long ? 10_000 : 300],
        ];
    }

    /** Releases behind a link that is switched, as docs/deploy.md has it. */
    #[DataProvider('loads')]
    public function test_all_requests_over_many_reloads_are_answered(string $mode, int $wanted, int $requests): void
    {
        $server = $this->start($mode, '--workers=2', '--no-access-log');
        $crowd = new Crowd($server->port, 8, 8);
        for ($reloads = 1; $reloads <= $wanted; $reloads++) {
            $this->release($reloads);
            $this->switchTo($reloads);
            $reload = $this->reload($server);
            do {
                $crowd->turn();
                $state = proc_get_status($reload);
            } while ($state['running']);
            self::assertSame(0, $state['exitcode'], $server->errors());
            while ($crowd->answered < $requests * $reloads / $wanted) {
                $crowd->turn();
            }
            Clock::await(static function () use ($crowd, $reloads): bool {
                $crowd->turn();

                return isset($crowd->answers["200 $reloads, $reloads"]);
            }, "release $reloads is served");
        }
        $crowd->rest();

        self::assertSame([], $crowd->lost, $server->errors());
        $releases = array_map(static fn (int $number): string => "200 $number, $number", range(0, $wanted));
        self::assertSame([], array_diff(array_keys($crowd->answers), $releases), 'an answer is not as it should be');
        self::assertDoesNotMatchRegularExpression('/exited on signal|\[alert\]|\[emerg\]/', $server->errors());
    }

    /** A new one while it boots, whom nginx replaces, and one that serves. */
    public function test_workers_that_are_killed_take_only_their_own_requests_with_them(): void
    {
        $server = $this->start('worker', '--workers=2', '--no-access-log');
        $old = $server->workers();
        $crowd = new Crowd($server->port, 8, 8);
        $door = new Door();
        $reload = $this->reloadWith($server, "Howdah\\HttpTests\\waitAtDoor('{$door->path}');");
        Clock::await(static function () use ($crowd, $door): bool {
            $crowd->turn();

            return $door->count() >= 2;
        }, 'both new workers boot');
        posix_kill($door->process(), SIGKILL);
        Clock::await(static function () use ($crowd, $door): bool {
            $crowd->turn();

            return $door->count() >= 3;
        }, 'nginx starts another one');
        self::assertSame([], $crowd->lost, 'it served nobody');
        posix_kill($old[0], SIGKILL);
        $door->open();
        do {
            $crowd->turn();
            $state = proc_get_status($reload);
        } while ($state['running']);
        $crowd->rest();

        self::assertSame(0, $state['exitcode'], $server->errors());
        // Each client waits for one answer at a time.
        self::assertLessThanOrEqual(16, count($crowd->lost));
        self::assertSame([], preg_grep('/^closed after 0 bytes$/', $crowd->lost, PREG_GREP_INVERT), $server->errors());
        self::assertSame([], array_diff(array_keys($crowd->answers), ['200 0, 0', '200 1, 1']));
        $server->assertNobodyWasDeaf();
        self::assertSame(['1, 1'], $this->bodies($server));
    }

    /** It does not boot before a pause is over, and no other one answers. */
    public function test_a_reload_waits_for_the_worker_that_follows_one_that_was_killed(): void
    {
        $server = $this->start('worker', '--workers=1');
        $door = new Door();
        $reload = $this->reloadWith($server, "Howdah\\HttpTests\\waitAtDoor('{$door->path}');");
        $this->awaitTold($server, $door);
        posix_kill($door->process(), SIGKILL);
        Clock::await(static fn (): bool => $door->count() >= 2, 'the one that follows boots');
        $door->open();

        self::assertSame(0, proc_close($reload), $server->errors());
        $server->assertNobodyWasDeaf();
        self::assertSame(['1, 1'], $this->bodies($server));
    }

    /** The trial boots at once here, and the new workers do not. */
    public function test_old_workers_serve_while_new_ones_boot_and_a_stop_stops_all_of_them(): void
    {
        $server = $this->start('worker', '--workers=2');
        $door = new Door();
        $reload = $this->reloadWith($server, "Howdah\HttpTests\waitAtDoor('{$door->path}');");
        $this->awaitTold($server, $door);

        self::assertSame(['0, 0'], $this->bodies($server));

        self::assertTrue(proc_get_status($reload)['running'], 'the command does not wait for the boot');
        self::assertSame(0, Howdah::run(['stop', '--pid=' . $server->pid])->status);
        self::assertSame(1, proc_close($reload));
        self::assertSame(0, $server->await(), $server->errors());
    }

    /** Boots once, in the trial, and never again: as where a database has no connection left. */
    public function test_old_workers_stay_where_new_ones_do_not_boot(): void
    {
        $server = $this->start('worker', '--workers=2');
        $old = $server->workers();
        $reload = $this->reloadWith($server, "throw new Exception('no connection left');");
        self::assertSame(1, proc_close($reload));

        self::assertStringContainsString('does not boot, though it did when it was tried', $server->errors());
        self::assertSame(['0, 0'], $this->bodies($server));
        self::assertSame($old, array_values(array_intersect($server->workers(), $old)));

        $this->release(2);
        $this->switchTo(2);
        self::assertSame(0, proc_close($this->reload($server)), $server->errors());
        $server->assertNobodyWasDeaf();
        self::assertSame(['2, 2'], $this->bodies($server));
        Clock::await(static fn (): bool => array_intersect($old, $server->workers()) === [], 'the old workers go');
        Clock::await(static fn (): bool => count($server->workers()) === 2, 'so do those that did not boot');
    }

    /** As one that waits for a network drive in C code. */
    public function test_a_worker_that_hears_of_nothing_makes_no_reload_fail(): void
    {
        $server = $this->start('classic', '--workers=2');
        [$deaf, $other] = $server->workers();
        posix_kill($deaf, SIGSTOP);
        $this->release(1);
        $this->switchTo(1);

        self::assertSame(0, proc_close($this->reload($server)));

        // It hears later where it stands still, and serves until then.
        Clock::await(static fn (): bool => !in_array($other, $server->workers(), true), 'the other one goes');
        self::assertSame('1, 1', $server->client->get('/')->body);
        self::assertStringContainsString("worker process $deaf is of before the reload", $server->errors());
        posix_kill($deaf, SIGCONT);
        Clock::await(static fn (): bool => !in_array($deaf, $server->workers(), true), 'it goes when it hears');
        self::assertSame('1, 1', $server->client->get('/')->body);
    }

    private function start(string $mode, string ...$options): Server
    {
        $folder = "{$this->folder}/current";
        $script = $mode === 'worker' ? "--worker-script=$folder/worker.php" : '--mode=classic';
        $ini = ['--ini=opcache.file_update_protection=0', '--ini=opcache.validate_timestamps=0'];

        return $this->keep(Server::serving($folder, $script, ...$ini, ...array_values($options)));
    }

    /** @return resource the command */
    private function reload(Server $server)
    {
        $command = [...Howdah::ALONE, PHP_BINARY, dirname(__DIR__, 2) . '/bin/howdah', 'reload', "--pid={$server->pid}"];
        $nowhere = ['file', '/dev/null', 'w'];
        $process = proc_open($command, [['file', '/dev/null', 'r'], $nowhere, $nowhere], $pipes);
        self::assertIsResource($process);

        return $process;
    }

    /**
     * Of release 1: the trial boots as it is, and real workers do something else.
     *
     * @return resource the command
     */
    private function reloadWith(Server $server, string $statement)
    {
        $this->release(1);
        $door = "require_once '" . __DIR__ . "/door.php';";
        $this->write('1/boot.php', "<?php\n$door\nif (!@mkdir(__DIR__ . '/tried')) {\n    $statement\n}\n");
        $this->switchTo(1);

        return $this->reload($server);
    }

    /** A new worker boots, and nginx's master has done all that a reload is: it works with its signals blocked. */
    private function awaitTold(Server $server, Door $door): void
    {
        $door->await();
        $status = "/proc/{$server->master()}/status";
        Clock::await(static function () use ($status): bool {
            $isFound = preg_match('/^SigBlk:\s*[0-9a-f]*([0-9a-f])$/m', (string) file_get_contents($status), $match) === 1;

            return $isFound && (hexdec($match[1]) & 1) === 0;
        }, 'nginx has told the old workers to leave');
    }

    /** @return list<string> whatever worker is asked */
    private function bodies(Server $server): array
    {
        $answers = $server->client->all(array_fill(0, 20, '/'));

        return array_values(array_unique(array_map(static fn (Response $response): string => $response->body, $answers)));
    }

    private function release(int $number): void
    {
        mkdir("{$this->folder}/$number");
        $this->write("$number/page.php", self::PAGE);
        $this->write("$number/index.php", "<?php\nrequire __DIR__ . '/page.php';\n");
        $this->write("$number/worker.php", self::LOOP);
        foreach (['code', 'other', 'boot'] as $name) {
            $this->write("$number/$name.php", "<?php\nreturn $number;\n");
        }
    }

    private function switchTo(int $number): void
    {
        symlink((string) $number, "{$this->folder}/next");
        rename("{$this->folder}/next", "{$this->folder}/current");
    }

    private function write(string $name, string $text): void
    {
        file_put_contents("{$this->folder}/new", $text);
        rename("{$this->folder}/new", "{$this->folder}/$name");
    }
}
