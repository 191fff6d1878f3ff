<?php

declare(strict_types=1);

namespace Howdah\HttpTests;

/** opcache_reset() under realms that boot once, in two workers: nobody loses code, new realms run the new one, and it is shared again. */
final class RestartTest extends HttpTestCase
{
    private const CODE = "<?php\n\nreturn '%s';\n";
    private const SCRIPT = <<<'PHP'
        <?php

        declare(strict_types=1);

        $version = require __DIR__ . '/code.php';
        while (frankenphp_handle_request(static function () use ($version): void {
            usleep(1000 * (int) ($_GET['ms'] ?? 0));
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
        PHP;

    private string $folder;
    private Server $server;

    protected function setUp(): void
    {
        $this->folder = sys_get_temp_dir() . '/howdah-restart-' . bin2hex(random_bytes(6));
        mkdir($this->folder . '/public', recursive: true);
        file_put_contents($this->folder . '/worker.php', self::SCRIPT);
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

    public function test_a_reset_under_load_shows_new_code_and_loses_no_request(): void
    {
        self::assertTrue($this->allRun('one'));
        $workers = $this->server->workers();
        $answers = [];
        for ($round = 0; $round < 20; ++$round) {
            $uris = array_map(static fn (int $ms): string => "/?ms=$ms", range(1, 40));
            $uris[20] = $round % 5 === 2 ? '/?reset' : $uris[20];
            if ($round === 5) {
                $this->write('two');
            }
            foreach ($this->server->client->all($uris) as $response) {
                $answers["$response->status $response->body"] = ($answers["$response->status $response->body"] ?? 0) + 1;
            }
        }

        ksort($answers);
        self::assertSame(["200 bool(true)\n", '200 one', '200 two'], array_keys($answers), print_r($answers, true));
        self::assertTrue($this->server->eventually(fn (): bool => $this->allRun('two')));
        self::assertTrue($this->server->eventually($this->isShared(...)), implode("\n", $this->answers('/?state', 8)));
        self::assertSame($workers, $this->server->workers());
        self::assertDoesNotMatchRegularExpression('/exited on signal|alert|emerg|error/', $this->server->errors());
    }

    public function test_who_runs_the_old_code_finishes_while_others_run_the_new_one(): void
    {
        $seen = [];
        $responses = $this->server->client->all(['/?ms=4000'], function (float $seconds) use (&$seen): void {
            if ($seconds > 0.5 && $seen === []) {
                $this->write('two');
                $this->reset();
            }
            if ($seconds > 0.5 && count($seen) < 3) {
                $seen[] = $this->server->eventually(fn (): bool => $this->allRun('two'), 2);
            }
        });

        self::assertSame('one', $responses[0]->body);
        self::assertSame([true, true, true], $seen);
        self::assertTrue($this->server->eventually($this->isShared(...)), implode("\n", $this->answers('/?state', 8)));
    }

    public function test_idle_realms_do_not_keep_the_old_code(): void
    {
        self::assertTrue($this->allRun('one'));
        $this->write('two');
        $this->reset();
        sleep(3);

        self::assertTrue($this->allRun('two'));
        self::assertTrue($this->server->eventually($this->isShared(...)), implode("\n", $this->answers('/?state', 8)));
    }
}
