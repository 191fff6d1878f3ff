<?php

declare(strict_types=1);

namespace Howdah\HttpTests;

use Howdah\Tests\Clock;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;

/**
 * A request ends in the midst of its end: in a callback that PHP calls there, by a fatal error, by exit, because its client
 * leaves, or its time is over. It ends alone: its neighbours answer, the callbacks behind it are called, and what it had locked
 * is free.
 */
#[Group('realms')]
#[Group('other')]
final class EndOfRequestTest extends DirectiveTestCase
{
    protected const APP = __DIR__ . '/app/ends';

    /** app/ends/places.php: how many callbacks are called there. One that bails out takes along those of its kind, as in PHP. */
    private const PLACES = [
        'shutdown function' => 1,
        'destructors' => 1,
        'output handler' => 1,
        'header callback' => 1,
        'session write' => 1,
        'session close' => 1,
        'session value' => 1,
        'two filters closed' => 2,
        'two filters of one stream closed' => 2,
        'two filters flushed' => 2,
        'a filter that opens another stream' => 2,
        'two wrappers closed' => 2,
        'two wrappers flushed' => 2,
        'two folders closed' => 2,
        'an included file closed' => 1,
        'a filtered temporary stream' => 1,
        'a filtered compressed file' => 1,
        'filtered file objects' => 2,
        'a late object in a context' => 1,
        'a suspended fiber' => 1,
        'a suspended generator' => 1,
        'late calls' => 2,
        'an error handler' => 1,
    ];

    /** In worker mode these come also where the request ends and its script goes on. */
    private const BETWEEN = [
        'shutdown function',
        'output handler',
        'header callback',
        'session write',
        'session close',
        'session value',
    ];

    /** How many are in flight meanwhile: one alone, two that may be mistaken for each other, and a crowd. */
    private const NEIGHBOURS = [1, 2, 16];

    /** @return iterable<string, array{string, string, int}> */
    public static function ways(): iterable
    {
        foreach (self::modes() as [$mode]) {
            foreach (['error', 'exception', 'exit', 'memory', 'leave', 'limit'] as $way) {
                foreach (self::NEIGHBOURS as $count) {
                    yield "$mode: $way beside $count" => [$mode, $way, $count];
                }
            }
        }
    }

    /** @return list<string> */
    protected static function options(string $mode): array
    {
        return [...parent::options($mode), '--concurrency=64', '--client-abort=cancel', '--no-access-log'];
    }

    #[DataProvider('ways')]
    public function test_it_ends_alone_wherever_it_ends(string $mode, string $way, int $count): void
    {
        chmod($this->folder, 0777);
        $script = self::APP . ($mode === 'worker' ? '/worker.php' : '/public/index.php');
        $pass = "howdah_pass $mode $script";
        $client = $this->share($mode, "location = /limited/end { howdah_request_timeout 2s; $pass; }");
        self::assertSame('pong', $client->get('/ping')->body);
        $workers = $this->workers();
        $neighbours = range(1, $count);
        $stay = fn (): bool => count($this->files('stays-*')) === count($neighbours);
        $victims = [
            ...array_map(static fn (string $place): array => [$place, 1], array_keys(self::PLACES)),
            ...array_map(static fn (string $place): array => [$place, 0], self::BETWEEN),
        ];
        $acted = function () use ($victims): bool {
            self::assertSame('', $this->crash());

            return count($this->files('acted-*')) === count($victims);
        };

        $responses = $client->all([
            ...array_map(fn (int $id): string => "/stay?id=$id&folder={$this->folder}", $neighbours),
            ...array_map(fn (array $victim): array => [...$this->victim($way, ...$victim), $stay], $victims),
            ['/ping', [], $acted],
        ], function () use ($acted): void {
            if ($acted()) {
                touch("{$this->folder}/release");
            }
        });

        $answers = array_map(static fn (int $id): string => sha1("neighbour $id"), $neighbours);
        $bodies = array_column($responses, 'body');
        self::assertSame($answers, array_slice($bodies, 0, count($neighbours)), $this->crash());
        self::assertSame('pong', end($bodies));
        foreach ($victims as [$place, $exits]) {
            $file = "{$this->folder}/acted-" . $place . ($exits ? '-exits' : '');
            $called = static fn (): int => strlen((string) file_get_contents($file));
            // What has used up its memory cannot be called again.
            $calls = $way === 'memory' ? 1 : self::PLACES[$place];
            Clock::await(static fn (): bool => $called() >= $calls, static fn (): string => "$place: {$called()}");
        }
        $locked = fn (): array => array_map(basename(...), array_filter(
            [...$this->files('lock-*'), ...$this->files('sess_*')],
            self::isLocked(...),
        ));
        Clock::await(static fn (): bool => $locked() === [], static fn (): string => 'locked: ' . implode(', ', $locked()));
        self::assertSame('', $this->crash());
        self::assertSame($workers, $this->workers(), 'a worker was lost');
    }

    /** @return array{string, array<int, mixed>} */
    private function victim(string $way, string $place, int $exits): array
    {
        $query = http_build_query(['place' => $place, 'way' => $way, 'exits' => $exits, 'folder' => $this->folder]);
        $acts = "{$this->folder}/acted-" . $place . ($exits ? '-exits' : '');
        $options = [Client::MAY_BREAK => true];
        if ($way === 'leave') {
            $options += [
                CURLOPT_NOPROGRESS => false,
                CURLOPT_XFERINFOFUNCTION => static fn (): int => file_exists($acts) ? 1 : 0,
            ];
        }

        return [($way === 'limit' ? '/limited' : '') . "/end?$query", $options];
    }

    /** @return list<string> */
    private function files(string $pattern): array
    {
        return glob("{$this->folder}/$pattern") ?: [];
    }

    private function crash(): string
    {
        preg_match_all('/^.*(?:howdah: crash|exited on signal|howdah: a rule).*/m', $this->log(), $lines);

        return implode("\n", $lines[0]);
    }

    private static function isLocked(string $path): bool
    {
        $file = fopen($path, 'r');

        return $file === false || !flock($file, LOCK_EX | LOCK_NB);
    }
}
