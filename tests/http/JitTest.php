<?php

declare(strict_types=1);

namespace Howdah\HttpTests;

use PHPUnit\Framework\Attributes\DataProvider;

/** opcache's JIT inside nginx: answers stay right where realms switch in the middle of compiled code (docs/jit.md). */
final class JitTest extends HttpTestCase
{
    /** What is compiled waits and computes there. */
    protected const APP = __DIR__ . '/../engine/scripts';

    /** @return array<string, array{list<string>, string, int}> what is asked for, what is used, warnings */
    public static function kinds(): array
    {
        $traces = PHP_VERSION_ID < 80400 ? 'tracing' : '1054';
        $asked = static fn (string $kind): array => ["--ini=opcache.jit={$kind}", '--ini=opcache.jit_buffer_size=64M'];

        return [
            'traces' => [['--jit=tracing'], $traces, 0],
            'functions, as scripts are loaded' => [$asked('1005'), '1005', 0],
            'functions, as they become hot' => [['--jit=function'], '1035', 0],
            'a kind that loses variables' => [$asked('1205'), '1005', 1],
        ];
    }

    /** @param list<string> $options */
    #[DataProvider('kinds')]
    public function test_sixteen_at_once_compute_in_slices_and_wait_in_compiled_code(
        array $options,
        string $used,
        int $warnings,
    ): void {
        $server = $this->keep(new Server(self::APP, [
            '--mode=classic',
            '--workers=1',
            '--ini=opcache.file_update_protection=0',
            ...$options,
        ]));
        $server->awaitReady();
        $workers = $server->workers();
        $requests = $expected = [];
        for ($n = 0; $n < 160; ++$n) {
            $requests[] = [($n % 2 === 0 ? '/jit-loops.php' : '/jit-kinds.php') . "?n={$n}", []];
            $expected[] = "right {$n}";
        }

        $answers = $server->client->all($requests);

        self::assertSame($expected, array_map(static fn (Response $answer): string => $answer->body, $answers));
        $status = $server->client->get('/jit-status.php')->body;
        self::assertMatchesRegularExpression("/^on {$used} [1-9][0-9]* bytes$/", $status);
        self::assertSame($workers, $server->workers(), 'a worker was lost');
        self::assertSame($warnings, substr_count($server->errors(), "opcache.jit={$used} is used instead"));
    }
}
