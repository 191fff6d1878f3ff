<?php

declare(strict_types=1);

namespace Howdah\HttpTests;

use Howdah\Tests\Clock;
use PHPUnit\Framework\Attributes\Group;

/** opcache_reset() under realms that boot once, in two workers: nobody loses code, new realms run the new one, and it is shared again. */
#[Group('realms')]
final class RestartTest extends HttpTestCase
{
    private const CODE = "<?php\n\nreturn '%s';\n";
    private const SCRIPT = <<<'PHP'
        <?php

        declare(strict_types=1);

        require '%s/door.php';
        $version = require __DIR__ . '/code.php';
        file_put_contents(__DIR__ . '/told', "$version boots\n", FILE_APPEND);
        while (frankenphp_handle_request(static function () use ($version): void {
            usleep(1000 * (int) ($_GET['ms'] ?? 0));
            isset($_GET['at']) && Howdah\HttpTests\waitAtDoor($_GET['at']);
            if (isset($_GET['reset'])) {
                var_dump(opcache_reset());
            } elseif (isset($_GET['state'])) {
                $state = opcache_get_status();
                echo json_encode([
                    'worker' => getmypid(),
                    'on' => $state['opcache_enabled'],
                    'pending' => $state['restart_pending'],
                    'restarts' => $state['opcache_statistics']['manual_restarts'],
                    'shared' => isset($state['scripts'][__DIR__ . '/code.php']),
                ]);
            } else {
                echo $version;
            }
        })) {
        }
        file_put_contents(__DIR__ . '/told', "$version ends\n", FILE_APPEND);
        PHP;

    private string $folder;
    private Server $server;

    protected function setUp(): void
    {
        $this->folder = sys_get_temp_dir() . '/howdah-restart-' . bin2hex(random_bytes(6));
        mkdir($this->folder . '/public', recursive: true);
        file_put_contents($this->folder . '/worker.php', sprintf(self::SCRIPT, __DIR__));
        touch($this->folder . '/told');
        chmod($this->folder . '/told', 0666);
        $this->write('one');
        $this->server = $this->keep(Server::serving(
            $this->folder,
            '--workers=2',
            '--concurrency=4',
            "--worker-script={$this->folder}/worker.php",
            '--ini=opcache.enable=1',
            '--ini=opcache.validate_timestamps=0', // only a reset shows new code
            '--ini=opcache.file_update_protection=0',
        ));
    }

    protected function tearDown(): void
    {
        parent::tearDown();
        exec('rm -rf ' . escapeshellarg($this->folder));
    }

    private function write(string $version): void
    {
        file_put_contents($this->folder . '/new.php', sprintf(self::CODE, $version));
        rename($this->folder . '/new.php', $this->folder . '/code.php');
    }

    private function reset(): void
    {
        self::assertSame("bool(true)\n", $this->server->client->get('/?reset')->body);
    }

    /** @return list<string> what so many at once answer */
    private function answers(string $uri, int $count): array
    {
        return array_map(
            static fn (Response $response): string => "$response->status $response->body",
            $this->server->client->all(array_fill(0, $count, $uri)),
        );
    }

    /** Every realm runs this version. */
    private function allRun(string $version): bool
    {
        return array_unique($this->answers('/?ms=5', 40)) === ["200 $version"];
    }

    /** The restart is done, and both workers share their code again. */
    private function isShared(): bool
    {
        $workers = [];
        foreach ($this->answers('/?state', 40) as $answer) {
            /** @var array{worker: int, on: bool, pending: bool, restarts: int, shared: bool}|null $state */
            $state = json_decode(substr($answer, 4), true);
            if ($state === null || [$state['on'], $state['pending'], $state['shared']] !== [true, false, true]) {
                return false;
            }
            $workers[$state['worker']] = $state['restarts'];
        }

        return count($workers) === 2 && min($workers) >= 1;
    }

    private function awaitShared(): void
    {
        Clock::await($this->isShared(...), fn (): string => implode("\n", ['it is shared', ...$this->answers('/?state', 8)]));
    }

    public function test_a_reset_under_load_shows_new_code_and_loses_no_request(): void
    {
        self::assertTrue($this->allRun('one'));
        $workers = $this->server->workers();
        $clock = Clock::start();
        $answers = [];
        // A restart waits for whoever runs the old code: it may take longer than these rounds.
        for ($round = 0; $round < 20 || !isset($answers['200 two']); ++$round) {
            $uris = array_map(static fn (int $ms): string => "/?ms=$ms", range(1, 40));
            $uris[20] = $round % 5 === 2 ? '/?reset' : $uris[20];
            if ($round === 5) {
                $this->write('two');
            }
            $clock->assertWithin(Clock::PATIENCE, 'a round with new code: ' . print_r($answers, true));
            foreach ($this->server->client->all($uris) as $response) {
                $answers["$response->status $response->body"] = ($answers["$response->status $response->body"] ?? 0) + 1;
            }
        }

        unset($answers["200 bool(false)\n"]); // one restart at a time
        ksort($answers);
        self::assertSame(["200 bool(true)\n", '200 one', '200 two'], array_keys($answers), print_r($answers, true));
        Clock::await(fn (): bool => $this->allRun('two'), 'all run the new code');
        $this->awaitShared();
        self::assertSame($workers, $this->server->workers());
        self::assertDoesNotMatchRegularExpression('/exited on signal|alert|emerg|error/', $this->server->errors());
    }

    public function test_who_runs_the_old_code_finishes_while_others_run_the_new_one(): void
    {
        $door = new Door();
        $old = (new Http1($this->server->port))->get("/?at={$door->path}");
        $door->await();
        $this->write('two');
        $this->reset();
        for ($time = 0; $time < 3; ++$time) {
            Clock::await(fn (): bool => $this->allRun('two'), 'others run the new code');
        }
        $door->open();

        self::assertSame('one', $old->read()?->body);
        $this->awaitShared();
    }

    public function test_idle_realms_do_not_keep_the_old_code(): void
    {
        self::assertTrue($this->allRun('one'));
        $this->write('two');
        $this->reset();
        $told = fn (string $what): int => substr_count((string) file_get_contents($this->folder . '/told'), "$what\n");
        // Nobody asks meanwhile.
        Clock::await(
            static fn (): bool => $told('one ends') === $told('one boots'),
            static fn (): string => "{$told('one ends')} of {$told('one boots')} have ended",
        );

        // One that was in the middle of its boot may have had the old code by then.
        Clock::await(fn (): bool => $this->allRun('two'), 'all run the new code');
        $this->awaitShared();
    }
}
