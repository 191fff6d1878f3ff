<?php

declare(strict_types=1);

namespace Howdah\HttpTests;

use Howdah\Tests\Clock;
use PHPUnit\Framework\Attributes\Group;

/** Boots that C code holds, as where a network drive does not answer: nothing in their worker can end them. */
#[Group('realms')]
final class HeldBootTest extends HttpTestCase
{
    /** Nothing but SIGKILL, as who waits for NFS. */
    private const TAKES_NO_SIGNAL = <<<'PHP'
        $libc = FFI::cdef('int sigprocmask(int how, const void *set, void *old);', 'libc.so.6');
        $all = FFI::new('char[128]');
        FFI::memset($all, 0xff, 128);
        $libc->sigprocmask(0, FFI::addr($all), null);

        PHP;

    private string $folder;

    /** @var array<string, Server> */
    private array $servers = [];

    protected function setUp(): void
    {
        $this->folder = sys_get_temp_dir() . '/howdah-held-' . bin2hex(random_bytes(6));
        mkdir($this->folder);
    }

    protected function tearDown(): void
    {
        parent::tearDown();
        exec('rm -rf ' . escapeshellarg($this->folder));
    }

    public function test_its_worker_ends_after_the_boot_s_time_limit_and_what_can_serve_does(): void
    {
        $corks = [new Cork(), new Cork()];
        $reports = $this->serve('reports', $corks[0], '');
        $killed = $this->serve('killed', $corks[1], self::TAKES_NO_SIGNAL);
        $corks[0]->await();
        $corks[1]->await();

        [$held, $cork, $waits] = $this->holdBesideABoot();
        $worker = $this->servers['beside']->workers();

        $top = static fn (): string => Howdah::run(['top', '--once', "--pid={$reports->pid}"])->output;
        $isTold = static fn (): bool => preg_match('~^worker \d+ has not answered: .* one call of C code~m', $top()) === 1;
        Clock::await($isTold, $top);
        foreach ([$reports, $killed] as $server) {
            $isTold = static fn (): bool => str_contains($server->errors(), 'no worker answers (C code holds it');
            Clock::await($isTold, $server->errors(...));
            $server->awaitReady();
            self::assertStringContainsString('classic mode serves instead', $server->errors());
            self::assertStringContainsString('worker.php booted: it is tried again in 1 s', $server->errors());
            self::assertSame('classic', $server->client->get('/')->body);
        }
        $errors = $reports->errors();
        if (str_contains($errors, 'exited on signal ' . SIGKILL)) {
            Clock::late('the worker stood still between the signal that reports and the one that kills');
        }
        self::assertStringContainsString('C code holds a boot beyond its time limit (howdah_boot_timeout): worker', $errors);
        $boots = "~its worker script, which boots: PHP was in \S+door\.php on line \d+, in ~";
        self::assertMatchesRegularExpression($boots, $errors);
        self::assertStringContainsString('exited on signal ' . SIGABRT, $errors);
        self::assertStringContainsString('exited on signal ' . SIGKILL, $killed->errors());
        // For longer than both others took. It is no boot, whatever boots beside it.
        $cork->pull();
        self::assertSame('done', $held->read()?->body, $this->servers['beside']->errors());
        self::assertSame($worker, $this->servers['beside']->workers());
        unset($waits); // so far it has waited
    }

    /** @return array{Http1, Cork, Http1} a request that C code holds, what holds it, who waits for a realm that boots meanwhile */
    private function holdBesideABoot(): array
    {
        [$asks, $boots, $cork] = [new Door(), new Door(), new Cork()];
        mkdir("{$this->folder}/beside/public", recursive: true);
        chmod("{$this->folder}/beside", 0777);
        file_put_contents("{$this->folder}/beside/public/frankenphp-worker.php", <<<PHP
            <?php
            require '{$this->door()}';
            if (!@mkdir('{$this->folder}/beside/booted')) {
                Howdah\\HttpTests\\waitAtDoor('{$boots->path}');
            }
            while (frankenphp_handle_request(static function (): void {
                Howdah\\HttpTests\\waitAtDoor('{$asks->path}');
                Howdah\\HttpTests\\stickAtCork('{$cork->path}');
                echo 'done';
            })) {
            }
            PHP);
        $options = ['--workers=1', '--boot-timeout=1', '--ini=ffi.enable=1', '--warm=1'];
        $server = $this->servers['beside'] = $this->keep(new Server("{$this->folder}/beside", $options));
        $server->awaitReady();
        $held = (new Http1($server->port))->get('/');
        $asks->await();
        $waits = (new Http1($server->port))->get('/');
        $boots->await();
        $asks->open();
        $cork->await();

        return [$held, $cork, $waits];
    }

    private function door(): string
    {
        return __DIR__ . '/door.php';
    }

    private function serve(string $name, Cork $cork, string $before): Server
    {
        mkdir("{$this->folder}/$name/public", recursive: true);
        $sticks = "require '" . __DIR__ . "/door.php';\nHowdah\HttpTests\stickAtCork('{$cork->path}');\n";
        file_put_contents("{$this->folder}/$name/public/frankenphp-worker.php", "<?php\n$before$sticks");
        file_put_contents("{$this->folder}/$name/public/index.php", "<?php\necho 'classic';\n");
        // Time enough to be held, however busy the machine is.
        $options = ['--workers=1', '--boot-timeout=3', '--ini=ffi.enable=1'];

        return $this->keep(new Server("{$this->folder}/$name", $options));
    }
}
