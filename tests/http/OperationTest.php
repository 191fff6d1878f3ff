<?php

declare(strict_types=1);

namespace Howdah\HttpTests;

use Howdah\Tests\Clock;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;

/**
 * Whoever operates a server looks at it in all ways at once, under load: figures, health, `howdah top`, the live page, traces,
 * a service's manager. A worker is killed in between, and the server is reloaded.
 */
#[Group('realms')]
final class OperationTest extends HttpTestCase
{
    protected const APP = __DIR__ . '/pool';

    private string $folder;

    /** @var array<string, float> */
    private array $counters = [];

    protected function setUp(): void
    {
        $this->folder = sys_get_temp_dir() . '/howdah-operation-' . bin2hex(random_bytes(6));
        mkdir($this->folder);
    }

    protected function tearDown(): void
    {
        parent::tearDown();
        exec('rm -rf ' . escapeshellarg($this->folder));
    }

    #[DataProvider('modes')]
    public function test_all_that_is_told_stays_true_under_load_while_a_worker_is_killed(string $mode): void
    {
        $manager = stream_socket_server("udg://{$this->folder}/notify", $code, $message, STREAM_SERVER_BIND);
        self::assertIsResource($manager);
        stream_set_blocking($manager, false);
        $collector = new Collector();
        $port = Server::freePort();
        $app = $mode === 'worker' ? '--worker-script=' . self::APP . '/worker.php' : '--mode=classic';
        $server = $this->keep(new Server(
            self::APP,
            [$app, '--workers=2', '--no-access-log', '--live-page', "--status=$port", "--trace={$collector->url}"],
            ['env', "NOTIFY_SOCKET={$this->folder}/notify", 'WATCHDOG_USEC=400000', PHP_BINARY, self::howdah()],
        ));
        $server->awaitReady();
        $figures = new Client("http://127.0.0.1:$port");
        $crowd = new Crowd($server->port, 6, 6);
        $door = new Door();
        $asked = (new Http1($server->port))->get("/door?at={$door->path}");
        $victim = $door->process();
        $look = function () use ($crowd, $server, $figures, $collector): void {
            $crowd->turn();
            $this->look($server, $figures);
            $collector->spans();
        };
        Clock::await(static function () use ($look, $crowd): bool {
            $look();

            return $crowd->answered > 100;
        }, 'there is load');
        self::assertStringContainsString("unix:{$door->path}", $this->top($server));
        $this->drain($manager);

        posix_kill($victim, SIGKILL);
        Clock::await(function () use ($look, $server, $victim): bool {
            $look();

            return $this->counters['howdah_workers_lost_total'] === 1.0 && $this->counters['ready'] === 2.0
                && !in_array($victim, $server->workers(), true);
        }, 'another one is ready');
        self::assertStringNotContainsString("unix:{$door->path}", $this->top($server), 'with its worker its requests are gone');
        $command = [PHP_BINARY, self::howdah(), 'reload', "--pid={$server->pid}"];
        $reload = proc_open($command, [1 => ['file', '/dev/null', 'w']], $pipes);
        self::assertIsResource($reload);
        do {
            $look();
            $state = proc_get_status($reload);
        } while ($state['running']);
        $crowd->rest();

        self::assertSame(0, $state['exitcode'], $server->errors());
        self::assertSame(['200 front page'], array_keys($crowd->answers));
        // Each client waits for one answer at a time.
        self::assertLessThanOrEqual(12, count($crowd->lost));
        self::assertSame([], preg_grep('/^closed after 0 bytes$/', $crowd->lost, PREG_GREP_INVERT), $server->errors());
        $ids = array_column($collector->spans(), 'spanId');
        self::assertSame(array_unique($ids), $ids, 'no span comes twice');
        self::assertGreaterThan(0, count($ids));
        $told = $this->drain($manager);
        self::assertStringContainsString('WATCHDOG=1', $told);
        self::assertStringNotContainsString('STATUS', $told, 'it goes on serving');
        $door->open();
        unset($asked);
    }

    private static function howdah(): string
    {
        return dirname(__DIR__, 2) . '/bin/howdah';
    }

    /** As probes, scrapers and the page in a browser do. */
    private function look(Server $server, Client $figures): void
    {
        self::assertSame([200, "live\n"], self::answer($figures->get('/health/live')));
        self::assertSame([200, "ready\n"], self::answer($figures->get('/health/ready')));
        $page = $figures->get('/metrics');
        self::assertSame(200, $page->status);
        preg_match_all('/^(howdah_\S+(?:_total|_count|_sum)(?:\{\S*\})?) (\S+)$/m', $page->body, $found);
        $counters = array_map(floatval(...), array_combine($found[1], $found[2]));
        foreach ($this->counters as $name => $value) {
            self::assertGreaterThanOrEqual($name === 'ready' ? 0.0 : $value, $counters[$name] ?? 0.0, "$name goes back");
        }
        $this->counters = ['ready' => (float) preg_match_all('/^howdah_worker_ready\{\S*\} 1$/m', $page->body)] + $counters;
        $told = $server->client->get('/_howdah/requests')->json();
        self::assertIsArray($told['workers'] ?? null);
    }

    /** @return array{int, string} */
    private static function answer(Response $response): array
    {
        return [$response->status, $response->body];
    }

    /** Its list; a worker that is slow to answer is said to be so, and the status tells it. */
    private function top(Server $server): string
    {
        $top = Howdah::run(['top', '--once', '--json', "--pid={$server->pid}"]);
        self::assertSame('', $top->errors);
        self::assertIsArray(json_decode($top->output, true), $top->output);

        return stripslashes($top->output);
    }

    /** @param resource $manager */
    private function drain($manager): string
    {
        $all = '';
        while (($message = (string) @stream_socket_recvfrom($manager, 4096)) !== '') {
            $all .= "$message\n";
        }

        return $all;
    }
}
