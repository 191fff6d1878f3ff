<?php

declare(strict_types=1);

namespace Howdah\WaitingTests;

use Howdah\HttpTests\Server;
use Howdah\Tests\Clock;
use PHPUnit\Framework\Assert;

/** What an idle worker holds, as the kernel tells. */
final readonly class Holdings
{
    private const FOREVER = -1;

    /**
     * @param list<string> $descriptors what each of them refers to, sorted
     * @param int          $threads     of libraries, and those that each worker has
     * @param int          $memory      bytes
     */
    private function __construct(public array $descriptors, public int $threads, public int $memory)
    {
    }

    /** What a server's only worker holds when all of its clients have gone. */
    public static function of(Server $server): self
    {
        [$pid] = $server->workers();
        // Threads of the worker's own, of which there are more when more has to be done at once, and which stay.
        $own = $server->client->get('/?do=status')->json()['threads'];
        Assert::assertIsInt($own);
        // Connections to its port that live, or that it has not closed yet, as proc(5) numbers them.
        $left = sprintf('/: [0-9A-F]{8}:%04X [0-9A-F]{8}:[0-9A-F]{4} 0[18] /', $server->port);
        Clock::await(
            static fn (): bool => preg_match($left, (string) file_get_contents('/proc/net/tcp')) === 0
                && self::timeout($pid) !== 0,
            "worker $pid is idle",
        );
        $threads = count(glob("/proc/$pid/task/*") ?: []) - $own;

        return new self(self::descriptors($pid), $threads, self::memory($pid));
    }

    /** Until it waits for events, and for them alone: its last timer has gone. */
    public static function awaitNoTimer(int $pid, float $seconds): void
    {
        $timeout = 0;
        $look = static function () use ($pid, &$timeout): bool {
            return ($timeout = self::timeout($pid)) === self::FOREVER;
        };
        Clock::await($look, static fn (): string => "the last timer has gone, not $timeout ms before it fires", $seconds);
    }

    /** @return list<string> */
    private static function descriptors(int $pid): array
    {
        $names = array_map(static fn (string $link): string => (string) @readlink($link), glob("/proc/$pid/fd/*") ?: []);
        // Inode numbers differ.
        $names = preg_replace('/:\[\d+\]$/', '', $names);
        sort($names);

        return $names;
    }

    /** Milliseconds until its next timer, as it waits for events no longer: from the arguments of epoll_wait() that it is in. */
    private static function timeout(int $pid): int
    {
        $words = explode(' ', (string) file_get_contents("/proc/$pid/syscall"));
        if (count($words) < 6) {
            // It runs.
            return 0;
        }

        $timeout = (int) hexdec(substr($words[4], -8));

        return $timeout < 1 << 31 ? $timeout : $timeout - (1 << 32);
    }

    private static function memory(int $pid): int
    {
        $text = (string) file_get_contents("/proc/$pid/smaps_rollup");
        preg_match('/^Pss:\s+(\d+) kB$/m', $text, $match);

        return (int) ($match[1] ?? 0) * 1024;
    }
}
