<?php

declare(strict_types=1);

namespace Howdah\HttpTests;

use Howdah\Tests\Clock;
use PHPUnit\Framework\Attributes\Group;

/** What `howdah serve` tells systemd, as sd_notify(3) has it: the test is the manager. */
#[Group('realms')]
final class ServiceManagerTest extends ReleaseTestCase
{
    /** @var resource */
    private $socket;
    private string $heard = '';

    protected function setUp(): void
    {
        parent::setUp();
        $socket = stream_socket_server("udg://{$this->folder}/notify", $code, $message, STREAM_SERVER_BIND);
        self::assertIsResource($socket, (string) $message);
        stream_set_blocking($socket, false);
        $this->socket = $socket;
    }

    public function test_it_serves_goes_on_and_stops(): void
    {
        $server = $this->start('classic', ['WATCHDOG_USEC=400000']);
        $server->awaitReady();
        $this->awaitHeard("READY=1\nSTATUS=serving ");
        self::assertSame('', $server->client->get('/environment.php')->body, 'it is no word to the application');
        $children = explode(' ', trim((string) file_get_contents("/proc/{$server->pid}/task/{$server->pid}/children")));
        self::assertGreaterThan(1, count($children), 'nginx, and who passes its lines on');
        foreach ($children as $child) {
            $environment = (string) file_get_contents("/proc/$child/environ");
            self::assertFalse(str_contains($environment, 'NOTIFY_SOCKET'), 'nor to a child');
        }
        $this->heard = '';
        $this->awaitHeard('WATCHDOG=1');
        self::assertStringNotContainsString('READY', $this->heard);

        // Whoever stands still shows no sign of life.
        posix_kill($server->pid, SIGSTOP);
        Clock::await(fn (): bool => str_contains((string) file_get_contents("/proc/{$server->pid}/stat"), ') T '), 'it stands');
        $this->hear();
        $this->heard = '';
        $clock = Clock::start();
        Clock::await(static fn (): bool => $clock->seconds() > 0.3, 'longer than between two signs');
        $this->hear();
        self::assertSame('', $this->heard);
        posix_kill($server->pid, SIGCONT);
        $this->awaitHeard('WATCHDOG=1');

        self::assertSame(0, Howdah::run(['stop', "--pid={$server->pid}"])->status);
        $this->awaitHeard('STOPPING=1');
    }

    public function test_an_application_that_does_not_boot_is_not_ready_until_it_does(): void
    {
        $this->write('one/code.php', "<?php\nthrow new Exception('no database');\n");
        // opcache tells two versions of a file apart by whole seconds.
        self::assertTrue(touch("{$this->folder}/one/code.php", time() - 10));
        $server = $this->start('worker');
        $this->awaitHeard('STATUS=NOT serving: the application does not boot');
        self::assertStringNotContainsString('READY', $this->heard);
        $this->awaitTold($server, 'failing', 'the application does not boot');
        $this->write('one/code.php', "<?php\nreturn 'mended';\n");
        Clock::await(static fn (): bool => $server->client->get('/')->body === 'mended', 'the next request boots it again');
        $this->awaitHeard("READY=1\nSTATUS=serving ");
        self::assertStringNotContainsString('WATCHDOG', $this->heard, 'nobody waits for it');
        $this->awaitTold($server, 'ready', 'worker mode');
        $workers = $server->workers();
        array_map(static fn (int $worker): bool => posix_kill($worker, SIGSTOP), $workers);
        $this->awaitTold($server, null, 'no worker has answered');
        array_map(static fn (int $worker): bool => posix_kill($worker, SIGCONT), $workers);
    }

    /** What `howdah status` says of the application, to programs and to people. A worker that has no turn for a second says nothing. */
    private function awaitTold(Server $server, ?string $state, string $line): void
    {
        $name = "--pid={$server->pid}";
        Clock::await(static function () use ($name, $state): bool {
            $told = Howdah::run(['status', '--json', $name])->json()[0] ?? null;

            return is_array($told) && $told['state'] === $state;
        }, "status: $state");
        Clock::await(static function () use ($name, $line): bool {
            $lines = explode("\n", trim(Howdah::run(['status', $name])->output));

            return str_contains(end($lines), $line);
        }, "status: $line");
    }

    protected function release(string $version): void
    {
        mkdir("{$this->folder}/$version");
        $loop = "while (frankenphp_handle_request(static fn () => print \$code)) {\n}\n";
        $this->write("$version/worker.php", "<?php\n\$code = require __DIR__ . '/code.php';\n$loop");
        $this->write("$version/index.php", "<?php\necho require __DIR__ . '/code.php';\n");
        $this->write("$version/environment.php", "<?php\necho getenv('NOTIFY_SOCKET'), getenv('WATCHDOG_USEC');\n");
        $this->write("$version/code.php", "<?php\nreturn '$version';\n");
    }

    /** @param list<string> $variables */
    private function start(string $mode, array $variables = []): Server
    {
        $howdah = [PHP_BINARY, dirname(__DIR__, 2) . '/bin/howdah'];
        $command = ['env', "NOTIFY_SOCKET={$this->folder}/notify", ...$variables, ...$howdah];

        $script = $mode === 'worker' ? "--worker-script={$this->folder}/one/worker.php" : '--mode=classic';
        // Of code that was changed the new one counts at once.
        $options = ['--workers=1', $script, '--ini=opcache.revalidate_freq=0', '--ini=opcache.file_update_protection=0'];

        return $this->keep(new Server("{$this->folder}/one", $options, $command));
    }

    private function hear(): string
    {
        while (($message = (string) @stream_socket_recvfrom($this->socket, 4096)) !== '') {
            $this->heard .= "$message\n";
        }

        return $this->heard;
    }

    private function awaitHeard(string $text): void
    {
        Clock::await(fn (): bool => str_contains($this->hear(), $text), fn (): string => "$text: {$this->heard}");
    }
}
