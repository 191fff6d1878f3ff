<?php

declare(strict_types=1);

namespace Howdah\HttpTests;

use Howdah\Tests\Clock;
use PHPUnit\Framework\Attributes\DataProvider;

/** Worker scripts that nobody has named: what they are given, and what serves where they do not boot. */
final class FoundWorkerTest extends HttpTestCase
{
    private string $folder;

    protected function setUp(): void
    {
        $this->folder = sys_get_temp_dir() . '/howdah found $1 ' . bin2hex(random_bytes(6));
        mkdir("{$this->folder}/public", 0755, true);
        $this->write('public/index.php', "<?php\necho 'classic ', \$_SERVER['REQUEST_URI'];\n");
    }

    protected function tearDown(): void
    {
        parent::tearDown();
        exec('rm -rf ' . escapeshellarg($this->folder));
    }

    /** @return iterable<string, array{string, string}> */
    public static function broken(): iterable
    {
        yield 'it never asks for a request' => ["<?php\necho 'printed while booting';\n", 'ended during boot'];
        yield 'it throws' => ["<?php\nthrow new Exception('thrown while booting');\n", 'thrown while booting'];
        yield 'it waits for ever' => ["<?php\nwhile (true) {\n    sleep(1);\n}\n", 'it is ended (howdah_boot_timeout)'];
        yield 'it computes for ever' => ["<?php\nwhile (true) {\n}\n", 'it is ended (howdah_boot_timeout)'];
    }

    #[DataProvider('broken')]
    public function test_where_it_does_not_boot_classic_mode_serves(string $code, string $why): void
    {
        $this->write('public/frankenphp-worker.php', $code);
        $server = $this->serve('--boot-timeout=1');
        Clock::await(static fn (): bool => str_contains($server->errors(), 'howdah: serving'), $server->errors(...), 180);

        if (str_contains($why, 'boot_timeout')) {
            // serve may come to hear of the first so late that the next one has been ended, too.
            if (substr_count($server->errors(), 'howdah_boot_timeout') > 1) {
                Clock::late("one boot that takes too long will do: {$server->errors()}");
            }
        }
        self::assertStringContainsString($why, $server->errors());
        self::assertStringContainsString('does not boot, the log above tells why: classic mode serves', $server->errors());
        self::assertStringContainsString("in classic mode with {$this->folder}/public/index.php (", $server->errors());
        self::assertSame('classic /a', $server->client->get('/a')->body);
    }

    /** As where a database is about to start. */
    public function test_a_boot_that_fails_twice_is_waited_for(): void
    {
        $fails = <<<'PHP'
            for ($i = 0; $i < 2; $i++) {
                if (@fopen(__DIR__ . "/failed-$i", 'x')) {
                    throw new Exception('no database');
                }
            }

            PHP;
        $this->write('public/frankenphp-worker.php', self::worker('print "worker"', $fails));
        chmod("{$this->folder}/public", 0777);
        $server = $this->serve();

        self::assertStringContainsString(' in worker mode with ', $server->errors());
        $errors = $server->errors();
        self::assertSame(2, substr_count($errors, 'PHP Fatal error:  Uncaught Exception: no database'), $errors);
        self::assertStringNotContainsString('classic mode serves', $server->errors());
        self::assertSame('worker', $server->client->get('/a')->body);
    }

    /** Another one follows after a second. */
    public function test_a_worker_that_is_killed_while_it_boots_is_waited_for(): void
    {
        $door = new Door();
        $waits = "require '" . __DIR__ . "/door.php';\nHowdah\HttpTests\waitAtDoor('{$door->path}');\n";
        $this->write('public/frankenphp-worker.php', self::worker('print "worker"', $waits));
        $server = $this->begin();
        posix_kill($door->process(), SIGKILL);
        Clock::await(static fn (): bool => $door->count() >= 2, 'the one that follows boots');
        $door->open();
        $server->awaitReady();

        self::assertStringContainsString(' in worker mode with ', $server->errors());
        self::assertStringNotContainsString('classic mode serves', $server->errors());
    }

    public function test_a_reload_tries_it_again(): void
    {
        $this->write('public/frankenphp-worker.php', "<?php\n");
        $server = $this->serve();

        $server->signal(SIGHUP);
        $this->awaitLine($server, 'NOT reloaded, the old workers go on');
        self::assertSame('classic /a', $server->client->get('/a')->body);

        $this->write('public/frankenphp-worker.php', self::worker('print "worker"'));
        $server->signal(SIGHUP);
        $this->awaitLine($server, "reloaded: new workers serve {$this->folder} in worker mode");
        self::assertSame('worker', $server->client->get('/a')->body);
    }

    public function test_where_nothing_else_can_serve_or_worker_mode_was_asked_for_it_says_that_it_does_not(): void
    {
        $this->write('public/frankenphp-worker.php', "<?php\n");
        $asked = $this->serve('--mode=worker');
        self::assertStringContainsString('NOT serving: the application does not boot', $asked->errors());
        self::assertSame(500, $asked->client->get('/a')->status);

        unlink("{$this->folder}/public/index.php");
        $alone = $this->serve();
        self::assertStringContainsString('NOT serving: the application does not boot', $alone->errors());
        self::assertStringNotContainsString('classic mode serves', $alone->errors());
    }

    /** It has booted, so it is taken: a request that fails is that request's failure, and the log names it. */
    public function test_one_that_fails_on_each_request_is_named_for_each_and_goes_on(): void
    {
        $this->write('public/frankenphp-worker.php', self::worker('throw new Exception("thrown on a request")'));
        $server = $this->serve();

        self::assertStringContainsString('in worker mode with', $server->errors());
        foreach ([1, 2] as $count) {
            self::assertSame(500, $server->client->get('/a')->status);
            $isTold = static fn (): bool => substr_count($server->errors(), 'thrown on a request') >= $count;
            Clock::await($isTold, static fn (): string => "it is named: {$server->errors()}");
        }
        self::assertTrue($server->isRunning());
    }

    public function test_octane_s_script_finds_the_environment_that_octane_start_sets_and_finds_it_again_after_a_reload(): void
    {
        $says = 'print json_encode(array_intersect_key($_SERVER, array_flip(["APP_BASE_PATH", "APP_PUBLIC_PATH",'
            . ' "LARAVEL_OCTANE", "MAX_REQUESTS", "REQUEST_MAX_EXECUTION_TIME"])))';
        $this->write('artisan', '');
        $this->write('bootstrap/app.php', '<?php');
        $this->write('vendor/autoload.php', '<?php');
        $needs = "isset(\$_SERVER['APP_BASE_PATH']) && getenv('LARAVEL_OCTANE') === '1' || exit(11);\n";
        $this->write('vendor/laravel/octane/bin/frankenphp-worker.php', self::worker($says, $needs));
        $expected = [
            'APP_BASE_PATH' => $this->folder,
            'APP_PUBLIC_PATH' => "{$this->folder}/public",
            'LARAVEL_OCTANE' => '1',
            'MAX_REQUESTS' => '7',
            'REQUEST_MAX_EXECUTION_TIME' => '30',
        ];
        $server = $this->serve('--max-requests=7');
        self::assertStringContainsString("(Laravel with Octane's worker script for FrankenPHP)", $server->errors());
        self::assertEquals($expected, json_decode($server->client->get('/')->body, true));
        self::assertEquals($expected, json_decode($server->client->get('/index.php')->body, true), 'no other page boots it');

        $server->signal(SIGHUP);
        $this->awaitLine($server, 'reloaded: new workers serve');
        self::assertEquals($expected, json_decode($server->client->get('/')->body, true));
    }

    private static function worker(string $handler, string $boot = ''): string
    {
        return "<?php\n{$boot}while (frankenphp_handle_request(static fn () => $handler)) {\n}\n";
    }

    private function serve(string ...$options): Server
    {
        $server = $this->begin(...$options);
        $server->awaitReady();

        return $server;
    }

    private function begin(string ...$options): Server
    {
        $always = ['--workers=1', '--concurrency=1', '--ini=opcache.file_update_protection=0'];

        return $this->keep(new Server($this->folder, [...$always, ...array_values($options)]));
    }

    private function write(string $file, string $text): void
    {
        $path = "{$this->folder}/$file";
        is_dir(dirname($path)) || mkdir(dirname($path), 0755, true);
        file_put_contents("$path.new", $text);
        rename("$path.new", $path);
    }
}
