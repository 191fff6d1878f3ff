<?php

declare(strict_types=1);

namespace Howdah\HttpTests;

use Howdah\Tests\Clock;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;

/** SIGHUP to `howdah serve`: it reloads, as nginx and php-fpm do; and it stops where its terminal was closed. */
#[Group('realms')]
final class HangupTest extends ReleaseTestCase
{
    private const LOOP = <<<'PHP'
        <?php
        $code = require __DIR__ . '/code.php';
        while (frankenphp_handle_request(static function () use ($code): void {
            require __DIR__ . '/page.php';
        })) {
        }
        PHP;

    #[DataProvider('modes')]
    #[Group('other')]
    public function test_new_workers_with_new_code_take_over_and_no_request_is_lost(string $mode): void
    {
        $server = $this->start($mode);
        $before = $server->workers();
        $door = new Door();
        $running = (new Http1($server->port))->get("/?at={$door->path}", "Connection: close\r\n");
        $door->await();
        $this->release('two');
        $this->switchTo('two');

        $server->signal(SIGHUP);
        $this->awaitLine($server, "howdah: reloaded: new workers serve {$this->folder}/two");

        $server->assertNobodyWasDeaf();
        // Of the old workers none takes a connection any more, and what runs is not ended.
        $bodies = array_map(fn (Response $response): string => $response->body, $server->client->all(array_fill(0, 20, '/')));
        self::assertSame(['two'], array_values(array_unique($bodies)));
        self::assertSame($before, array_values(array_intersect($server->workers(), $before)));
        $door->open();
        self::assertSame('one', $running->read()?->body);
        Clock::await(static fn (): bool => array_intersect($before, $server->workers()) === [], 'the old worker goes');
        self::assertDoesNotMatchRegularExpression('/\[(emerg|alert|crit)\]|stopping/', $server->errors());
        self::assertTrue($server->isRunning());
    }

    /** @return iterable<string, array{list<string>, bool}> */
    public static function terminals(): iterable
    {
        yield 'closed' => [[], true];
        yield 'closed, with nohup' => [['nohup'], false];
    }

    /** @param list<string> $words before the command */
    #[DataProvider('terminals')]
    public function test_a_terminal_that_is_closed_stops_the_server_that_it_started(array $words, bool $stops): void
    {
        $port = Server::freePort();
        $log = "{$this->folder}/log";
        $serve = [PHP_BINARY, dirname(__DIR__, 2) . '/bin/howdah', '--no-ansi', 'serve', "{$this->folder}/current"];
        $options = ["--listen=127.0.0.1:$port", ...self::arguments('classic')];
        $process = proc_open(
            ['setsid', '--ctty', ...Howdah::ALONE, ...$words, ...$serve, ...$options],
            [['pty'], ['file', $log, 'a'], ['file', $log, 'a']],
            $pipes,
        );
        self::assertIsResource($process);
        $isRunning = static fn (): bool => proc_get_status($process)['running'];
        $has = static fn (string $text): bool => str_contains((string) file_get_contents($log), $text);
        $says = static fn (string $text) => Clock::await(
            static fn (): bool => $has($text) || !$isRunning(),
            static fn (): string => "the log has $text: " . file_get_contents($log),
        );
        try {
            $says('howdah: serving ');
            // As long as the terminal is there, it is somebody who wants a reload.
            posix_kill(proc_get_status($process)['pid'], SIGHUP);
            $says('howdah: reloaded');
            self::assertTrue($has('howdah: reloaded'), (string) file_get_contents($log));

            fclose($pipes[0]);
            if ($stops) {
                Clock::await(static fn (): bool => !$isRunning(), 'howdah ends');
                self::assertTrue($has('howdah: stopping'));
            } else {
                self::assertSame('one', (new Client("http://127.0.0.1:$port"))->get('/')->body);
                $pid = proc_get_status($process)['pid'];
                $reload = Howdah::run(['reload', "--pid=$pid"]);
                self::assertSame([0, ''], [$reload->status, $reload->errors]);
                self::assertFalse($has('howdah: stopping'), 'the terminal has stopped it');
                posix_kill($pid, SIGTERM);
                $says('howdah: stopping');
                self::assertSame(2, substr_count((string) file_get_contents($log), 'howdah: reloading'));
            }
        } finally {
            proc_terminate($process);
            Clock::await(static fn (): bool => !$isRunning(), 'howdah ends');
            proc_close($process);
        }
    }

    /**
     * By a link that may be switched; in classic mode in that folder: the working folder of a process stays the one that it
     * was, whatever its name leads to later.
     */
    private function start(string $mode): Server
    {
        $link = "{$this->folder}/current";
        $howdah = [PHP_BINARY, dirname(__DIR__, 2) . '/bin/howdah'];
        $server = $this->keep($mode === 'worker'
            ? new Server($link, self::arguments($mode, $link), $howdah)
            : new Server('.', self::arguments($mode), ['sh', '-c', "cd $link && exec \"\$@\"", 'sh', ...$howdah]));
        $server->awaitReady();

        return $server;
    }

    protected function release(string $version): void
    {
        mkdir("{$this->folder}/$version");
        $wait = "require_once '" . __DIR__ . "/door.php';\nHowdah\\HttpTests\\waitAtDoor(\$_GET['at'] ?? '');\n";
        $this->write("$version/worker.php", self::LOOP);
        $this->write("$version/index.php", "<?php\n\$code = require __DIR__ . '/code.php';\nrequire __DIR__ . '/page.php';\n");
        $this->write("$version/page.php", "<?php\n{$wait}echo \$code;\n");
        $this->write("$version/code.php", "<?php\nreturn '$version';\n");
    }
}
