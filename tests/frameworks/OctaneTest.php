<?php

/**
 * packages/laravel: what does not need Octane, with real servers. Octane is in no registry of the tests: what needs it runs
 * where HOWDAH_OCTANE_PROJECT names a Laravel project that has Octane, this package and HOWDAH_BINARY in .env.
 */

declare(strict_types=1);

namespace Howdah\FrameworkTests;

use Howdah\HttpTests\Client;
use Howdah\HttpTests\Server;
use Howdah\Laravel\HowdahCommand;
use Howdah\Laravel\HowdahFailure;
use Howdah\Laravel\ServeArguments;
use Howdah\Tests\Clock;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;

final class OctaneTest extends TestCase
{
    private const ROOT = __DIR__ . '/../..';

    private string $project = '';
    private ?Server $server = null;

    /** @var resource|null */
    private $octane = null;

    public static function setUpBeforeClass(): void
    {
        foreach (['HowdahFailure', 'ServerProcess', 'HowdahCommand', 'ServeArguments'] as $class) {
            require_once self::ROOT . "/packages/laravel/src/$class.php";
        }
    }

    protected function setUp(): void
    {
        // A path with a space in it.
        $this->project = sys_get_temp_dir() . '/howdah octane ' . bin2hex(random_bytes(6));
        mkdir("{$this->project}/public", 0777, true);
        file_put_contents("{$this->project}/public/index.php", '<?php echo getenv("OCTANE_TEST");');
    }

    protected function tearDown(): void
    {
        $this->server?->stop();
        if ($this->octane !== null && proc_get_status($this->octane)['running']) {
            proc_terminate($this->octane);
        }
        exec('rm -rf ' . escapeshellarg($this->project));
    }

    /** @return iterable<string, array{array<string, mixed>, list<string>}> */
    public static function options(): iterable
    {
        yield 'defaults' => [['workers' => 'auto', 'max-requests' => '500'], ['--max-requests=500']];
        yield 'fewer requests at once than processors' => [
            ['workers' => '3'],
            ['--workers=3', '--concurrency=1', '--max-requests=500'],
        ];
        yield 'more, not to be divided' => [
            ['workers' => '9', 'max-requests' => '0'],
            ['--workers=4', '--concurrency=3', '--max-requests=0'],
        ];
        yield 'watching' => [['watch' => true, 'poll' => false], ['--max-requests=500', '--watch']];
        yield 'polling' => [['watch' => true, 'poll' => true], ['--max-requests=500', '--watch=poll']];
        yield 'https' => [['https' => true], ['--max-requests=500', '--tls']];
    }

    /**
     * @param array<string, mixed> $options
     * @param list<string>         $expected
     */
    #[DataProvider('options')]
    public function test_options_of_octane_start_become_those_of_serve(array $options, array $expected): void
    {
        $more = ['--request-timeout=30'];
        $list = (new ServeArguments($options))->toList('/srv/my shop', '127.0.0.1', '8000', 4, $more);

        self::assertSame(['/srv/my shop', '--listen=127.0.0.1:8000', '--mode=worker', ...$expected, ...$more], $list);
    }

    public function test_an_address_of_ipv6_has_its_brackets(): void
    {
        self::assertContains('--listen=[::1]:8000', (new ServeArguments([]))->toList('.', '::1', '8000', 1, []));
    }

    public function test_a_number_that_is_none_is_named(): void
    {
        foreach (['workers' => 'many', 'max-requests' => '-1'] as $name => $value) {
            try {
                (new ServeArguments([$name => $value]))->toList('.', '127.0.0.1', '8000', 1, []);
                self::fail("--$name=$value was taken");
            } catch (HowdahFailure $failure) {
                self::assertStringStartsWith("--$name=$value is no whole number", $failure->getMessage());
            }
        }
        $this->expectExceptionMessage('--workers=0 serves nothing');
        (new ServeArguments(['workers' => '0']))->toList('.', '127.0.0.1', '8000', 1, []);
    }

    public function test_what_is_for_other_servers_only_is_told(): void
    {
        $told = (new ServeArguments(['caddyfile' => 'x', 'rpc-port' => '1', 'http-redirect' => false, 'task-workers' => '4']))
            ->ignored();

        self::assertCount(3, $told);
        self::assertStringStartsWith('--caddyfile does nothing with --server=howdah: ', $told[0]);
        self::assertSame([], (new ServeArguments(['task-workers' => 'auto', 'rpc-host' => null]))->ignored());
    }

    public function test_a_command_that_is_missing_is_named(): void
    {
        $this->expectExceptionMessage('the howdah command is not here (/nowhere/howdah): install Howdah, or set HOWDAH_BINARY');
        (new HowdahCommand('/nowhere/howdah'))->path();
    }

    public function test_what_serve_cannot_do_in_this_version_is_known_before_it_is_asked_for(): void
    {
        $howdah = new HowdahCommand(self::ROOT . '/bin/howdah');
        self::assertTrue($howdah->hasOption('--listen'));
        self::assertFalse($howdah->hasOption('--list'));
        $needed = (new ServeArguments(['watch' => true, 'https' => true]))->needed();
        self::assertSame(['watch' => '--watch', 'https' => '--tls'], $needed);
        self::assertSame([], (new ServeArguments(['watch' => false]))->needed());
    }

    public function test_a_server_is_found_reloaded_and_stopped_by_its_process(): void
    {
        $server = $this->start();
        self::assertSame('given', $server->client->get('/')->body);
        $pid = $this->howdah($server);

        self::assertSame($this->project, HowdahCommand::served($pid));
        self::assertNull(HowdahCommand::served($server->pid), 'the starter is no server');
        HowdahCommand::reload($pid);
        Clock::await(
            static fn (): bool => str_contains($server->errors(), 'reloaded: new workers serve'),
            static fn (): string => "it reloads: {$server->errors()}",
        );
        HowdahCommand::stop($pid);
        self::assertNull(HowdahCommand::served($pid));
        self::assertSame(0, $server->await());
    }

    /** Artisan is killed, and nobody stops the server: the kernel tells it. */
    public function test_a_server_does_not_outlive_who_started_it(): void
    {
        $server = $this->start();
        $pid = $this->howdah($server);
        $server->signal(SIGKILL);

        Clock::await(static fn (): bool => HowdahCommand::served($pid) === null, 'howdah serve has ended');
        self::assertStringContainsString('stopping: running requests may take', $server->errors());
    }

    public function test_octane_starts_tells_of_reloads_and_stops_the_server(): void
    {
        $project = getenv('HOWDAH_OCTANE_PROJECT');
        if (!is_string($project) || !is_file("$project/vendor/laravel/octane/composer.json")) {
            fwrite(STDERR, "NOT RUN: {$this->name()}: laravel/octane is not in the registry; HOWDAH_OCTANE_PROJECT names no"
                . " Laravel project that has it\n");
            $this->expectNotToPerformAssertions();

            return;
        }
        $port = Server::freePort();
        $log = "{$this->project}/log";
        $start = [PHP_BINARY, 'artisan', 'octane:start', '--server=howdah', "--port=$port", '--workers=2'];
        $output = ['file', $log, 'w'];
        $process = proc_open($start, [['file', '/dev/null', 'r'], $output, $output], $pipes, $project);
        self::assertIsResource($process);
        $this->octane = $process;
        $isRunning = static fn (): bool => proc_get_status($process)['running'];
        $runs = fn (): bool => $this->artisan($project, 'status')[0] === 0 || !$isRunning();
        Clock::await($runs, static fn (): string => 'it runs: ' . file_get_contents($log));
        $state = json_decode((string) file_get_contents("$project/storage/logs/octane-server-state.json"), true);
        self::assertIsArray($state, (string) file_get_contents($log));
        self::assertSame(200, (new Client("http://127.0.0.1:$port"))->get('/up')->status, (string) file_get_contents($log));

        self::assertSame(0, $this->artisan($project, 'reload')[0]);
        [$second, $told] = [1, ''];
        exec('cd ' . escapeshellarg($project) . ' && ' . implode(' ', $start) . ' 2>&1', $lines, $second);
        $told = implode("\n", $lines);
        self::assertSame(1, $second);
        self::assertStringContainsString('Howdah server is already running', $told);
        self::assertSame(0, $this->artisan($project, 'stop')[0]);
        Clock::await(static fn (): bool => !$isRunning(), 'octane:start has ended');
        self::assertSame(1, $this->artisan($project, 'status')[0]);
        [$status, $told] = $this->artisan($project, 'stop');
        self::assertSame(1, $status);
        self::assertStringContainsString('Howdah server is not running', $told);
        self::assertFileDoesNotExist("$project/storage/logs/octane-server-state.json");
    }

    /** @return array{int, string} */
    private function artisan(string $project, string $command): array
    {
        $php = escapeshellarg(PHP_BINARY);
        exec('cd ' . escapeshellarg($project) . " && $php artisan octane:$command --server=howdah 2>&1", $lines, $status);

        return [$status, implode("\n", $lines)];
    }

    private function start(): Server
    {
        $options = ['--workers=1', '--concurrency=1'];
        $this->server = new Server($this->project, $options, [PHP_BINARY, __DIR__ . '/octane/start.php']);
        $server = $this->server;
        // Its workers are no children of what was started here.
        Clock::await(static fn (): bool => str_contains($server->errors(), 'Ctrl-C stops'), $server->errors(...));

        return $server;
    }

    /** The process of `howdah serve`. */
    private function howdah(Server $server): int
    {
        self::assertCount(1, Server::children($server->pid));

        return Server::children($server->pid)[0];
    }
}
