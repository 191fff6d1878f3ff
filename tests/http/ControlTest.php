<?php

declare(strict_types=1);

namespace Howdah\HttpTests;

use Howdah\Tests\Clock;
use PHPUnit\Framework\Attributes\Group;

/** `howdah reload`, `stop` and `status`, and SIGUSR1 to `howdah serve`: from outside, as who deploys uses them. */
#[Group('realms')]
final class ControlTest extends ReleaseTestCase
{
    private const LOOP = <<<'PHP'
        <?php
        $version = require __DIR__ . '/code.php';
        while (frankenphp_handle_request(static fn () => print $version)) {
        }
        PHP;

    public function test_a_switched_link_is_followed_and_the_command_returns_when_it_is(): void
    {
        $server = $this->start('worker');
        self::assertSame('one', $server->client->get('/')->body);
        $this->release('two');
        $this->switchTo('two');
        self::assertSame('one', $server->client->get('/')->body, 'it is followed without a reload');

        $reload = Howdah::run(['reload', "{$this->folder}/current"]);

        self::assertSame([0, ''], [$reload->status, $reload->errors]);
        self::assertStringContainsString("serves {$this->folder}/two with new workers", $reload->output);
        // Of the old workers none takes a connection any more.
        $server->assertNobodyWasDeaf();
        $bodies = array_map(fn (Response $response): string => $response->body, $server->client->all(array_fill(0, 20, '/')));
        self::assertSame(['two'], array_values(array_unique($bodies)));
        // The old folder may go.
        exec('rm -rf ' . escapeshellarg("{$this->folder}/one"));
        self::assertSame('two', $server->client->get('/')->body);
        self::assertSame("{$this->folder}/two", $this->told($server)['root']);
    }

    public function test_top_takes_the_process_that_status_lists(): void
    {
        $server = $this->start('worker');
        $other = $this->start('worker');

        $workers = Howdah::run(['top', '--once', '--json', '--pid=' . $other->pid])->json()['workers'] ?? null;

        self::assertIsArray($workers);
        self::assertSame($other->workers(), array_column($workers, 'pid'), $server->errors());
    }

    public function test_what_is_wrong_is_not_taken_and_the_command_says_why(): void
    {
        $server = $this->start('worker');
        $workers = $server->workers();
        $mistakes = [
            'it has gone' => [fn () => unlink("{$this->folder}/one/worker.php"), 'does not exist'],
            'the project has gone' => [fn () => unlink("{$this->folder}/current"), 'current does not exist'],
            'it does not compile' => [fn () => $this->write('one/worker.php', "<?php\nwhile (\n"), 'worker.php'],
            'it does not boot' => [
                fn () => $this->write('one/code.php', "<?php\nthrow new Exception('by the new code <b>\e]0;title\x07');\n"),
                'by the new code <b>',
            ],
        ];
        foreach ($mistakes as $what => [$make, $reason]) {
            $make();

            $reload = Howdah::run(['reload', '--pid=' . $server->pid]);

            self::assertSame(1, $reload->status, $what);
            self::assertStringContainsString("not reloaded, {$this->folder}/current is served by its old", $reload->errors);
            self::assertStringContainsString($reason, $reload->errors, $what);
            self::assertMatchesRegularExpression(
                '/howdah: NOT reloaded, the old workers go on: .*' . preg_quote($reason, '/') . '/',
                $server->errors(),
            );
            self::assertSame($workers, $server->workers(), $what);
            self::assertSame('one', $server->client->get('/')->body, $what);
            $failure = $this->told($server)['failure'];
            self::assertIsString($failure);
            self::assertStringContainsString($reason, $failure, $what);
            // What an application says does nothing to a terminal.
            $status = Howdah::run(['status', '--pid=' . $server->pid]);
            self::assertStringContainsString('the last reload failed: ', $status->output);
            self::assertDoesNotMatchRegularExpression('/[\x00-\x09\x0b-\x1f]/', $reload->errors . $status->output);
            $this->write('one/worker.php', self::LOOP);
            $this->switchTo('one');
        }
        $this->write('one/code.php', "<?php\nreturn 'mended';\n");
        self::assertSame(0, Howdah::run(['reload', '--pid=' . $server->pid])->status);
        self::assertSame('mended', $server->client->get('/')->body);
        $told = $this->told($server);
        self::assertSame([null, 5, false], [$told['failure'], $told['reloads'], $told['reloading']]);
    }

    /** A module that was upgraded under a running server would start PHP a second time in one process. */
    public function test_another_module_is_not_taken(): void
    {
        $build = getenv('HOWDAH_BUILD') ?: dirname(__DIR__, 2) . '/build';
        $module = "{$this->folder}/build/ngx_http_howdah_module.so";
        mkdir("{$this->folder}/build");
        copy("$build/ngx_http_howdah_module.so", $module);
        copy("$build/howdah-run", "{$this->folder}/build/howdah-run");
        chmod("{$this->folder}/build/howdah-run", 0755);
        $server = $this->start('classic', 'env', "HOWDAH_BUILD={$this->folder}/build");
        copy($module, "$module.new");
        rename("$module.new", $module);

        $reload = Howdah::run(['reload', '--pid=' . $server->pid]);

        self::assertSame(1, $reload->status);
        self::assertStringContainsString('stop the server and start it again', $reload->errors);
        self::assertSame('one', $server->client->get('/')->body);
    }

    /** And it is found there: its /tmp is another one than that of the commands. */
    public function test_a_full_disk_stops_a_reload_and_not_the_server(): void
    {
        exec('unshare --mount true 2>&1', $said, $status);
        if ($status !== 0) {
            self::markTestSkipped('only root may mount a small disk: ' . implode(' ', $said));
        }
        $mount = 'mount -t tmpfs -o size=1m,mode=1777 none "$TMPDIR" && exec "$@"';
        $server = $this->start('worker', 'unshare', '--mount', 'sh', '-c', $mount, 'sh');
        $disk = "/proc/{$server->pid}/root{$server->temporary}/tmp";
        // Page by page: what is left is less than one.
        exec('head -c 2m /dev/zero >' . escapeshellarg("$disk/all") . ' 2>&1');

        $reload = Howdah::run(['reload', "--pid={$server->pid}"]);

        self::assertSame(1, $reload->status);
        self::assertStringContainsString('is served by its old workers: cannot write', $reload->errors);
        self::assertStringContainsString('free some space there', $reload->errors);
        self::assertSame('one', $server->client->get('/')->body);
        $failure = $this->told($server)['failure'];
        self::assertIsString($failure);
        self::assertStringContainsString('free some space', $failure);
        unlink("$disk/all");
        $this->write('one/code.php', "<?php\nreturn 'new';\n");
        self::assertSame(0, Howdah::run(['reload', "--pid={$server->pid}"])->status);
        self::assertSame('new', $server->client->get('/')->body);
        self::assertNull($this->told($server)['failure']);
    }

    public function test_two_reloads_at_once_are_both_told_what_came_of_them(): void
    {
        $server = $this->start('worker');
        $door = $this->waitInBoot('new');
        $commands = [$this->begin('reload', '--pid=' . $server->pid)];
        $door->await();
        self::assertTrue($this->told($server)['reloading']);
        $commands[] = $this->begin('reload', '--pid=' . $server->pid);
        $door->open();

        $ended = array_map(fn (array $command): array => $this->end(...$command), $commands);

        self::assertSame([0, 0], array_column($ended, 0), implode("\n", array_column($ended, 1)));
        self::assertSame('new', $server->client->get('/')->body);
    }

    public function test_a_stop_during_a_reload_stops_and_both_commands_return(): void
    {
        $server = $this->start('worker');
        $door = $this->waitInBoot('new');
        $reload = $this->begin('reload', '--pid=' . $server->pid);
        $door->await();

        $stop = Howdah::run(['stop', '--pid=' . $server->pid]);

        self::assertSame(0, $stop->status, $stop->errors);
        [$status, $said] = $this->end(...$reload);
        self::assertSame(1, $status);
        self::assertMatchesRegularExpression('/it was not reloaded|the server stops: nothing was reloaded/', $said);
        self::assertStringContainsString('NOT reloaded, the old workers go on: the server stops', $server->errors());
        self::assertSame(0, $server->await());
        self::assertSame([], $server->leftovers());
    }

    public function test_a_stop_waits_for_requests_that_run(): void
    {
        $server = $this->start('classic');
        $door = new Door();
        $running = (new Http1($server->port))->get("/slow.php?at={$door->path}");
        $door->await();
        $stop = $this->begin('stop', "{$this->folder}/current");
        $this->awaitLine($server, 'howdah: stopping');

        $door->open();

        self::assertSame('whole', $running->read()?->body);
        [$status, $said] = $this->end(...$stop);
        self::assertSame(0, $status, $said);
        self::assertStringContainsString("stopped: {$this->folder}/current (process {$server->pid})", $said);
        self::assertFalse($server->isRunning());
    }

    public function test_servers_are_told_apart_by_project_and_by_process(): void
    {
        $this->release('two');
        $first = $this->start('worker');
        $second = $this->keep(Server::serving("{$this->folder}/two", ...self::arguments('classic')));

        $all = array_column(Howdah::run(['status', '--json'])->json(), 'path', 'pid');
        self::assertSame("{$this->folder}/current", $all[$first->pid]);
        self::assertSame("{$this->folder}/two", $all[$second->pid]);
        $told = $this->told($second);
        self::assertSame(['classic', 1, 0, null], [$told['mode'], $told['workers'], $told['reloads'], $told['failure']]);
        self::assertSame("http://127.0.0.1:{$second->port}", $told['address']);
        $lines = Howdah::run(['status'])->output;
        self::assertStringContainsString("{$this->folder}/current ({$this->folder}/one)  worker mode", $lines);

        $mistakes = [
            'several' => [['stop'], "{$this->folder}/two (process {$second->pid})"],
            'none' => [['stop', '/nowhere'], 'no `howdah serve` serves /nowhere'],
            'another program' => [['reload', '--pid=' . getmypid()], 'is no `howdah serve`'],
            'no number' => [['stop', '--pid=x'], '--pid=x is no number'],
            // As in `howdah stop "$FOLDER"`: not the server of the folder in which it is said.
            'no folder' => [['stop', ''], 'the folder is empty'],
        ];
        foreach ($mistakes as $what => [$command, $message]) {
            $howdah = Howdah::run($command);
            self::assertSame(1, $howdah->status, $what);
            self::assertStringContainsString($message, $howdah->errors, $what);
        }

        self::assertSame(0, Howdah::run(['stop', "{$this->folder}/two"])->status);
        self::assertSame(0, $second->await());
        self::assertTrue($first->isRunning());
    }

    /** Log files that were renamed are made anew. Who may read the record would learn nothing secret, but has no reason to. */
    public function test_sigusr1_opens_logs_anew_and_files_are_their_owners(): void
    {
        $server = $this->start('classic');
        $workers = $server->workers();
        $errors = glob("{$server->temporary}/tmp/howdah-*/errors")[0] ?? '';
        foreach (['server.json', 'errors', 'nginx.conf'] as $name) {
            self::assertSame(0600, fileperms(dirname($errors) . "/$name") & 0777, $name);
        }
        rename($errors, "$errors.1");

        $server->signal(SIGUSR1);

        Clock::await(static function () use ($errors): bool {
            clearstatcache();

            return file_exists($errors);
        }, 'the log is made anew');
        self::assertSame('one', $server->client->get('/')->body);
        self::assertSame($workers, $server->workers());
        self::assertDoesNotMatchRegularExpression('/\[(emerg|alert|crit)\]/', $server->errors());
    }

    private function start(string $mode, string ...$words): Server
    {
        $howdah = [PHP_BINARY, dirname(__DIR__, 2) . '/bin/howdah'];
        $command = [...array_values($words), ...$howdah];
        $link = "{$this->folder}/current";
        $server = $this->keep(new Server($link, self::arguments($mode, $link), $command));
        $server->awaitReady();

        return $server;
    }

    protected function release(string $version): void
    {
        mkdir("{$this->folder}/$version");
        $this->write("$version/worker.php", self::LOOP);
        $this->write("$version/index.php", "<?php\necho require __DIR__ . '/code.php';\n");
        $this->write("$version/code.php", "<?php\nreturn '$version';\n");
        $wait = "require_once '" . __DIR__ . "/door.php';\nHowdah\\HttpTests\\waitAtDoor(\$_GET['at'] ?? '');\n";
        $this->write("$version/slow.php", "<?php\n{$wait}echo 'whole';\n");
    }

    /** The next boots wait at the door: that of the trial is the first. */
    private function waitInBoot(string $version): Door
    {
        $door = new Door();
        $wait = "require_once '" . __DIR__ . "/door.php';\nHowdah\\HttpTests\\waitAtDoor('{$door->path}');\n";
        $this->write('one/code.php', "<?php\n{$wait}return '$version';\n");

        return $door;
    }

    /** @return array<array-key, mixed> */
    private function told(Server $server): array
    {
        $told = Howdah::run(['status', '--json', '--pid=' . $server->pid])->json()[0] ?? null;
        self::assertIsArray($told);

        return $told;
    }

    /** @return array{resource, resource} a command that runs, and what it says */
    private function begin(string ...$arguments): array
    {
        $said = tmpfile();
        self::assertIsResource($said);
        $howdah = [PHP_BINARY, dirname(__DIR__, 2) . '/bin/howdah', '--no-ansi'];
        $command = [...Howdah::ALONE, ...$howdah, ...array_values($arguments)];
        $process = proc_open($command, [['file', '/dev/null', 'r'], $said, $said], $pipes);
        self::assertIsResource($process);

        return [$process, $said];
    }

    /**
     * @param  resource           $process
     * @param  resource           $said
     * @return array{int, string} its exit status, and what it has said
     */
    private function end($process, $said): array
    {
        $status = proc_close($process);
        rewind($said);

        return [$status, (string) stream_get_contents($said)];
    }
}
