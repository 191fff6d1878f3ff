<?php

/**
 * Each example, in each mode, under the hammer: one worker, 16 realms, 32 clients, every answer checked.
 *
 * Requests that overlap notice what they share (tests/engine/BlockTest shows it of each state block with 64 of them); five
 * hundred look for what is rare, ten thousand all the more in `make test-long`. HOWDAH_HAMMER_REQUESTS sets another number.
 */

declare(strict_types=1);

namespace Howdah\FrameworkTests;

use Howdah\HttpTests\Server;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;
use RuntimeException;

final class IsolationTest extends TestCase
{
    private const REQUESTS = 500;

    /** With HOWDAH_LONG. */
    private const MANY = 10_000;

    private const CLIENTS = 32;

    private const REALMS = 16;

    private const ROOT = __DIR__ . '/../..';

    private ?Server $server = null;

    protected function tearDown(): void
    {
        $this->server?->stop();
    }

    /** @return iterable<string, array{string, string, string}> */
    public static function examples(): iterable
    {
        $examples = ['plain' => '/probe.php', 'laravel' => '/probe', 'symfony' => '/probe', 'psr15' => '/probe'];
        foreach ($examples as $example => $path) {
            foreach (['classic', 'worker'] as $mode) {
                yield "{$example} in {$mode} mode" => [$example, $mode, $path];
            }
        }
    }

    #[DataProvider('examples')]
    public function test_no_request_sees_anything_of_another(string $example, string $mode, string $path): void
    {
        $project = self::ROOT . "/examples/{$example}";
        if (is_file("{$project}/bin/setup")) {
            self::execute(["{$project}/bin/setup"]);
        }
        $server = $this->server = Server::serving(
            $project,
            "--mode={$mode}",
            '--workers=1',
            '--concurrency=' . self::REALMS,
            // The pages of `plain` are files: its worker script answers for them.
            '--scripts=0',
            // The lock of a session is waited for by at most one request; a slow machine shall not fail the test.
            '--ini=max_execution_time=120',
        );
        $workers = $server->workers();
        $requests = (int) (getenv('HOWDAH_HAMMER_REQUESTS') ?: (getenv('HOWDAH_LONG') ? self::MANY : self::REQUESTS));

        $summary = $this->hammer("http://127.0.0.1:{$server->port}{$path}", $requests);

        self::assertSame([], $summary['details'], $server->errors());
        self::assertSame([$requests, 0, 0], [$summary['right'], $summary['wrong'], $summary['errors']]);
        // Without overlap the answers would prove nothing.
        self::assertGreaterThan(self::REALMS / 2, $summary['overlap'], 'too few requests were in flight at once');
        self::assertLessThanOrEqual(self::REALMS, $summary['overlap'], 'more requests were in flight than realms');
        self::assertSame($workers, $summary['workers'], 'another worker answered');
        self::assertSame($workers, $server->workers(), 'a worker was lost');
        self::assertDoesNotMatchRegularExpression('/exited on signal|probe:|PHP (Fatal|Warning)/', $server->errors());
        $server->signal(SIGTERM);
        self::assertSame(0, $server->await(), 'the server did not end well');
    }

    /**
     * @return array{right: int, wrong: int, errors: int, workers: list<int>, overlap: int, details: list<string>}
     */
    private function hammer(string $url, int $requests): array
    {
        $output = self::execute([
            PHP_BINARY,
            self::ROOT . '/tests/isolation/hammer.php',
            "--url={$url}",
            "--requests={$requests}",
            '--clients=' . self::CLIENTS,
            '--ms=0-20',
            '--json',
        ], [0, 1]);
        /** @var array{right: int, wrong: int, errors: int, workers: list<int>, overlap: int, details: list<string>} */
        $summary = json_decode($output, true, flags: JSON_THROW_ON_ERROR);

        return $summary;
    }

    /**
     * @param non-empty-list<string> $command
     * @param list<int> $statuses which ones are good
     */
    private static function execute(array $command, array $statuses = [0]): string
    {
        exec(implode(' ', array_map(escapeshellarg(...), $command)) . ' 2>&1', $lines, $status);
        $output = implode("\n", $lines);
        if (!in_array($status, $statuses, true)) {
            throw new RuntimeException("{$command[0]} ended with {$status}: {$output}");
        }

        return $output;
    }
}
