<?php

declare(strict_types=1);

namespace Howdah\HttpTests;

use Howdah\Tests\Clock;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;

/** `howdah serve` with a socket that systemd listens on, as sd_listen_fds(3) passes it. The test is systemd. */
final class PassedSocketTest extends TestCase
{
    private string $folder;

    /** @var resource|null */
    private $process = null;

    /** @var resource|null standard output; null: the log */
    private $output = null;

    protected function setUp(): void
    {
        $this->folder = sys_get_temp_dir() . '/howdah-passed-' . bin2hex(random_bytes(6));
        mkdir("{$this->folder}/public", recursive: true);
        $code = "<?php\necho json_encode(preg_grep('/^(LISTEN_|NGINX\$)/', array_keys(getenv()))), \$_GET['n'] ?? '';\n";
        file_put_contents("{$this->folder}/public/index.php", $code);
    }

    protected function tearDown(): void
    {
        $this->stop();
        exec('rm -rf ' . escapeshellarg($this->folder));
    }

    /** @return array<string, array{string}> IPv6 where the machine has it */
    public static function addresses(): array
    {
        $six = @stream_socket_server('tcp://[::1]:0') === false ? [] : ['IPv6' => ['tcp://[::1]:0']];

        return ['IPv4' => ['tcp://127.0.0.1:0'], ...$six, 'a Unix socket' => ['unix://']];
    }

    /** Whoever comes while nobody serves is answered by who serves next. */
    #[DataProvider('addresses')]
    public function test_it_is_served_and_keeps_connections_over_a_restart(string $address): void
    {
        $address = $address === 'unix://' ? "unix://{$this->folder}/socket" : $address;
        $socket = $this->listen($address);
        $name = (string) stream_socket_get_name($socket, false);
        $address = str_starts_with($address, 'unix') ? $address : "tcp://$name";
        $early = $this->ask($address, 1);
        $same = str_replace('127.0.0.1', 'localhost', $name);
        $this->serve($socket, str_starts_with($address, 'unix') ? [] : ["--listen=$same"]);
        self::assertSame('[]1', $this->bodyOf($early));

        $this->stop();
        $between = $this->ask($address, 2);
        $this->serve($socket);
        self::assertSame('[]2', $this->bodyOf($between));

        self::assertSame(0, Howdah::run(['reload', "--pid={$this->pid()}"])->status, $this->log());
        self::assertSame('[]3', $this->bodyOf($this->ask($address, 3)));
        $told = str_replace(['tcp://', 'unix://'], ['on http://', 'on unix:'], $address);
        self::assertStringContainsString($told, $this->log());
    }

    public function test_what_cannot_be_served_is_said(): void
    {
        $socket = $this->listen('tcp://127.0.0.1:0');
        $name = (string) stream_socket_get_name($socket, false);
        $this->begin($socket, ['--port=' . Server::freePort()]);
        $this->awaitLog("systemd passes a socket that listens on $name, and the options name another address: leave out");
        $this->stop();
        $this->begin($socket, [], 2);
        $this->awaitLog('systemd passes 2 sockets, and one is served');
        $this->stop();
        $this->begin(fopen('/dev/null', 'r') ?: self::fail('no /dev/null'));
        $this->awaitLog('is no socket which listens: the .socket unit needs ListenStream=');
        $this->stop();
        // Accept=yes: a connection has the path of the socket that it came to.
        $other = $this->listen("unix://{$this->folder}/socket");
        $client = stream_socket_client("unix://{$this->folder}/socket");
        $this->begin(stream_socket_accept($other) ?: self::fail('no connection'));
        $this->awaitLog('is no socket which listens: the .socket unit needs ListenStream=');
        self::assertIsResource($client);
        $this->stop();
        $other = $this->listen('tcp://127.0.0.1:0');
        $taken = (string) stream_socket_get_name($other, false);
        $this->begin($socket, ["--status=$taken"]);
        $this->awaitLog("cannot listen on $taken: the port is in use by another program");
    }

    /** A browser that stays open would hold it when all else has ended. */
    public function test_nginx_alone_has_it(): void
    {
        $socket = $this->listen('tcp://127.0.0.1:0');
        $held = 'socket:[' . (fstat($socket)['ino'] ?? self::fail('no inode')) . ']';
        $browser = "{$this->folder}/browser";
        $code = "#!/bin/sh\nls -l /proc/\$\$/fd >$browser.new\nmv $browser.new $browser.told\n";
        file_put_contents($browser, $code);
        chmod($browser, 0755);
        putenv("BROWSER=$browser");
        try {
            $this->output = (stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0) ?: self::fail('no sockets'))[0];
            $this->serve($socket, ['--open', '--watch']);
        } finally {
            putenv('BROWSER');
            $this->output = null;
        }

        $told = Clock::await(static fn (): string|false => @file_get_contents("$browser.told"), $this->log(...));
        // At other numbers it has what the test's own sockets have there.
        self::assertStringContainsString(' 0 -> /dev/null', $told);
        self::assertStringNotContainsString(" 3 -> $held", $told);
        // `sh` and setsid become what they are to start.
        $holders = [];
        Clock::await(function () use ($held, &$holders): bool {
            $holders = [];
            foreach (Server::children($this->pid()) as $pid) {
                $holders[trim((string) @file_get_contents("/proc/$pid/comm"))] = @readlink("/proc/$pid/fd/3") === $held;
            }
            ksort($holders);

            return array_keys($holders) === ['cat', 'howdah-run', 'nginx'];
        }, static fn (): string => 'cat, howdah-run and nginx: ' . json_encode($holders));
        self::assertSame(['cat' => false, 'howdah-run' => false, 'nginx' => true], $holders);
    }

    /** @return resource */
    private function listen(string $address)
    {
        return stream_socket_server($address) ?: self::fail("cannot listen on $address");
    }

    /**
     * @param resource     $socket
     * @param list<string> $options
     */
    private function serve($socket, array $options = []): void
    {
        $this->begin($socket, $options);
        $this->awaitLog('howdah: serving ');
    }

    /**
     * @param resource     $socket
     * @param list<string> $options
     */
    private function begin($socket, array $options = [], int $count = 1): void
    {
        file_put_contents("{$this->folder}/log", '');
        $log = ['file', "{$this->folder}/log", 'a'];
        $serve = [PHP_BINARY, dirname(__DIR__, 2) . '/bin/howdah', '--no-ansi', 'serve', $this->folder, '--workers=1'];
        $process = proc_open(
            ['sh', '-c', 'LISTEN_PID=$$ exec "$@"', 'sh', ...$serve, '--mode=classic', ...$options],
            [['file', '/dev/null', 'r'], $this->output ?? $log, $log, $socket],
            $pipes,
            null,
            ['LISTEN_FDS' => (string) $count, 'LISTEN_FDNAMES' => 'shop.socket'] + getenv(),
        );
        $this->process = $process ?: self::fail('howdah cannot be started');
    }

    private function stop(): void
    {
        if ($this->process !== null) {
            proc_terminate($this->process);
            proc_close($this->process);
            $this->process = null;
        }
    }

    private function pid(): int
    {
        return $this->process === null ? 0 : proc_get_status($this->process)['pid'];
    }

    private function log(): string
    {
        return (string) file_get_contents("{$this->folder}/log");
    }

    private function awaitLog(string $text): void
    {
        Clock::await(fn (): bool => str_contains($this->log(), $text), fn (): string => "it says $text: {$this->log()}");
    }

    /** @return resource */
    private function ask(string $address, int $number)
    {
        $client = stream_socket_client($address);
        self::assertIsResource($client);
        fwrite($client, "GET /?n=$number HTTP/1.0\r\n\r\n");

        return $client;
    }

    /** @param resource $client */
    private function bodyOf($client): string
    {
        stream_set_timeout($client, (int) Clock::PATIENCE);

        return substr((string) strstr((string) stream_get_contents($client), "\r\n\r\n"), 4);
    }
}
