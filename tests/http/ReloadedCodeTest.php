<?php

declare(strict_types=1);

namespace Howdah\HttpTests;

use Howdah\Tests\Clock;
use PHPUnit\Framework\Attributes\DataProvider;

/** A reload (HUP to nginx's master) after a deployment: new code also where opcache does not look at files, and never a broken one for a good one. */
final class ReloadedCodeTest extends HttpTestCase
{
    private const LOOP = <<<'PHP'
        <?php
        $version = require __DIR__ . '/code.php';
        while (frankenphp_handle_request(static fn () => print "$version " . posix_geteuid())) {
        }
        PHP;

    private string $folder;

    protected function setUp(): void
    {
        $this->folder = sys_get_temp_dir() . '/howdah-reloaded-' . bin2hex(random_bytes(6));
        mkdir($this->folder);
        chmod($this->folder, 0755);
        $this->write('worker.php', self::LOOP);
        $this->write('index.php', "<?php\necho require __DIR__ . '/code.php', ' ', posix_geteuid();\n");
        $this->write('code.php', "<?php\nreturn 'one';\n");
    }

    protected function tearDown(): void
    {
        parent::tearDown();
        exec('rm -rf ' . escapeshellarg($this->folder));
    }

    /** @return iterable<string, array{string, list<string>}> */
    public static function looks(): iterable
    {
        foreach (['classic', 'worker'] as $mode) {
            yield "$mode, never" => [$mode, []];
            // As PHP's default, which is two seconds.
            $options = ['--ini=opcache.validate_timestamps=1', '--ini=opcache.revalidate_freq=3600'];
            yield "$mode, once an hour" => [$mode, $options];
        }
    }

    /** @param list<string> $options when opcache looks at files again */
    #[DataProvider('looks')]
    public function test_it_serves_new_code_where_timestamps_are_not_looked_at(string $mode, array $options): void
    {
        $locked = ['--ini=opcache.restrict_api=/nowhere', '--ini=disable_functions=opcache_reset'];
        $server = $this->start($mode, ...$locked, ...$options);
        self::assertTrue($this->serves($server, 'one'));
        $workers = $server->workers();
        $this->write('code.php', "<?php\nreturn 'two';\n");
        self::assertTrue($this->serves($server, 'one'), 'opcache looks at files: this shows nothing');

        $this->reload($server);

        Clock::await(static fn (): bool => array_intersect($workers, $server->workers()) === [], 'the old workers go');
        self::assertTrue($this->serves($server, 'two'), $server->errors());
    }

    public function test_workers_that_boot_stay_where_the_new_script_does_not_and_the_log_says_why(): void
    {
        $server = $this->start('worker', '--boot-timeout=1');
        $workers = $server->workers();
        $broken = [
            "<?php\nthrow new Exception('thrown by the new code');\n" => 'thrown by the new code',
            "<?php\nexit(3);\n" => 'ended during boot, before it asked for a request (exit status 3)',
            "<?php\nposix_kill(getmypid(), 11);\n" => 'did not boot when it was tried in process',
            "<?php\nsleep(3600);\n" => 'code.php on line 2; it is ended (howdah_boot_timeout)',
        ];
        foreach (array_keys($broken) as $count => $code) {
            $this->write('code.php', $code);

            $this->reload($server);

            $refused = 'nothing is reloaded, the workers that there are go on: a worker script did not boot';
            $isRefused = static fn (): bool => substr_count($server->errors(), $refused) === $count + 1;
            Clock::await($isRefused, static fn (): string => "it is refused: {$server->errors()}");
            self::assertStringContainsString($broken[$code], $server->errors());
            // The trial is a child of nginx's master, too, and tells before it ends.
            $isOver = static fn (): bool => count($server->workers()) <= count($workers);
            Clock::await($isOver, static fn (): string => 'the trial ends: ' . implode(', ', $server->workers()));
            self::assertSame($workers, $server->workers());
            self::assertTrue($this->serves($server, 'one'));
        }
        $this->write('code.php', "<?php\nreturn 'two';\n");
        $this->reload($server);
        Clock::await(fn (): bool => $this->serves($server, 'two'), static fn (): string => "new code: {$server->errors()}");
        Clock::await(static fn (): bool => array_intersect($workers, $server->workers()) === [], 'the old workers go');
    }

    /** The user and the environment of workers: else the trial would tell of another application. */
    public function test_a_script_is_tried_as_a_worker_would_run_it(): void
    {
        $options = posix_geteuid() === 0 ? ['--user=www-data'] : [];
        $server = $this->start('worker', ...$options);
        $own = explode(' ', $server->client->get('/')->body)[1];
        $this->write('code.php', <<<'PHP'
            <?php
            $told = [posix_geteuid(), posix_getegid(), count(posix_getgroups()), getenv('FROM_OUTSIDE'), getenv('NGINX')];
            trigger_error('tried: ' . json_encode($told), E_USER_WARNING);
            return 'two';
            PHP);

        $this->reload($server);

        $isTold = static fn (): bool => substr_count($server->errors(), 'tried: ') >= 3;
        Clock::await($isTold, static fn (): string => "it is told: {$server->errors()}");
        preg_match_all('/tried: (\[.*?\])/', $server->errors(), $found);
        self::assertSame([$found[1][1]], array_values(array_unique($found[1])), 'they differ');
        self::assertStringStartsWith("[$own,", $found[1][0]);
        self::assertStringContainsString('"kept"', $found[1][0]);
    }

    /** Also where it has become another user. Without `howdah serve`, which would end what is left. */
    public function test_a_trial_dies_with_its_master(): void
    {
        mkdir("{$this->folder}/nginx");
        $options = ['--workers=1', "--worker-script={$this->folder}/worker.php", '--ini=opcache.file_update_protection=0'];
        $own = posix_geteuid() === 0 ? ['--user=www-data'] : [];
        $nginx = (new Nginx("{$this->folder}/nginx", $this->folder, [...$options, ...$own], ''))->awaitReady();
        Clock::await(static fn (): bool => $nginx->client->get('/')->status === 200, 'it serves');
        $workers = $nginx->workers();
        self::assertCount(1, $workers);
        $this->write('code.php', "<?php\ntrigger_error('tried in ' . getmypid(), E_USER_WARNING);\nsleep(600);\n");
        $nginx->reload();
        $isTold = static fn (): bool => preg_match('/tried in \d+/', $nginx->log()) === 1;
        Clock::await($isTold, static fn (): string => "it is tried: {$nginx->log()}");
        [$trial] = array_values(array_diff($nginx->workers(), $workers));

        $nginx->kill();

        $hasGone = static fn (): bool => !file_exists("/proc/$trial");
        Clock::await($hasGone, 'the trial ends with its master');
        // It does not know that its master has gone.
        posix_kill($workers[0], SIGKILL);
    }

    public function test_serve_does_not_say_that_it_serves_before_it_can(): void
    {
        $this->write('code.php', "<?php\nif (!file_exists(__DIR__ . '/good')) {\n    exit;\n}\nreturn 'one';\n");
        $server = $this->start('worker');

        self::assertStringContainsString('NOT serving: the application does not boot', $server->errors());
        self::assertStringNotContainsString('howdah: serving', $server->errors());
        self::assertSame(500, $server->client->get('/')->status);
        touch("{$this->folder}/good");
        self::assertTrue($this->serves($server, 'one'));
        Clock::await(static fn (): bool => str_contains($server->errors(), 'howdah: serving'), 'it says that it serves');
    }

    private function start(string $mode, string ...$options): Server
    {
        $script = $mode === 'worker' ? "--worker-script={$this->folder}/worker.php" : '--mode=classic';
        $ini = ['opcache.validate_timestamps=0', 'opcache.file_update_protection=0'];

        return $this->keep(Server::serving(
            $this->folder,
            '--workers=2',
            $script,
            ...array_map(static fn (string $setting): string => "--ini=$setting", $ini),
            ...array_values($options),
        ));
    }

    private function write(string $name, string $text): void
    {
        file_put_contents("{$this->folder}/new", $text);
        rename("{$this->folder}/new", "{$this->folder}/$name");
    }

    private function reload(Server $server): void
    {
        posix_kill($server->master(), SIGHUP);
    }

    /** Whatever worker is asked. */
    private function serves(Server $server, string $version): bool
    {
        $answers = array_map(
            static fn (Response $response): string => explode(' ', $response->body)[0],
            $server->client->all(array_fill(0, 12, '/')),
        );

        return array_unique($answers) === [$version];
    }
}
