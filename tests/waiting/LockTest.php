<?php

declare(strict_types=1);

namespace Howdah\WaitingTests;

use PHPUnit\Framework\Attributes\DataProvider;

/** Requests that lock one file. */
final class LockTest extends LockTestCase
{
    #[DataProvider('modes')]
    public function test_five_writers_are_served_in_the_order_in_which_they_came(string $mode): void
    {
        for ($round = 0; $round < 5; $round++) {
            self::assertInOrder(range(1, 5), function () use ($mode): array {
                $answers = self::ask($this->server($mode), array_fill(0, 5, self::uri('flock', self::freshName(), self::HOLD)));
                self::assertEqualsCanonicalizing(range(1, 5), array_column($answers, 'count'));
                self::assertNeverTwo($answers);

                return self::byArrival($answers, 'count');
            });
        }
    }

    #[DataProvider('modes')]
    public function test_five_writers_of_file_put_contents_are_served_in_the_order_in_which_they_came(string $mode): void
    {
        $append = fn (string $name): array => self::ask($this->server($mode), array_map(
            static fn (string $by): string => self::uri('append', $name, self::HOLD, ['by' => $by]),
            ['a', 'b', 'c', 'd', 'e'],
        ));
        // A realm that compiles the code first comes late to the file, whenever it came to the server.
        $append(self::freshName());
        self::assertInOrder(range(0, 4), function () use ($append): array {
            $name = self::freshName();
            $answers = $append($name);
            self::assertSame([2, 2, 2, 2, 2], array_column($answers, 'written'));
            $lines = file(Components::folder() . "/$name", FILE_IGNORE_NEW_LINES) ?: [];
            self::assertEqualsCanonicalizing(['a', 'b', 'c', 'd', 'e'], $lines);

            return array_map(static fn (mixed $by): mixed => array_search($by, $lines, true), self::byArrival($answers, 'by'));
        });
    }

    #[DataProvider('modes')]
    public function test_writers_of_two_workers_are_all_served(string $mode): void
    {
        $server = $this->ownServer($mode, '--workers=2');
        $name = self::freshName();
        $answers = self::askBoth($server, array_fill(0, 5, self::uri('flock', $name, self::HOLD)));

        self::assertEqualsCanonicalizing(range(1, 10), array_column($answers, 'count'));
        self::assertNeverTwo($answers);
    }

    #[DataProvider('modes')]
    public function test_readers_share_it_and_writers_do_not(string $mode): void
    {
        $name = self::freshName();
        $uris = [];
        foreach (['w', 'r', 'r', 'r', 'w', 'r', 'r', 'r', 'w'] as $who) {
            $uris[] = self::uri('flock', $name, 0.1, $who === 'r' ? ['how' => 'shared'] : []);
        }
        $start = microtime(true);
        $answers = self::ask($this->server($mode), $uris);
        $seconds = microtime(true) - $start;
        $writers = [$answers[0], $answers[4], $answers[8]];
        $readers = [...array_slice($answers, 1, 3), ...array_slice($answers, 5, 3)];

        self::assertEqualsCanonicalizing([1, 2, 3], array_column($writers, 'count'));
        self::assertNeverTwo($writers);
        foreach ($readers as $reader) {
            foreach ($writers as $writer) {
                self::assertNeverTwo([$reader, $writer]);
            }
        }
        // Three writers and at most four turns of readers between them, not nine turns.
        self::assertLessThan(0.85, $seconds, 'readers wait for each other');
    }

    #[DataProvider('endsInModes')]
    public function test_the_lock_of_a_request_that_ends_early_is_free(string $mode, string $way): void
    {
        $name = self::freshName();
        $server = $this->server($mode);
        $first = self::send($server, self::uri('flock', $name, 0.2, ['end' => $way]));
        usleep(100_000);
        $start = microtime(true);

        self::assertSame(1, $server->client->get(self::uri('flock', $name, 0))->json()['count']);
        self::assertLessThan(0.4, microtime(true) - $start);
        fclose($first);
    }

    #[DataProvider('modes')]
    public function test_the_lock_of_a_killed_process_is_free(string $mode): void
    {
        $name = self::freshName();
        $file = Components::folder() . "/$name";
        $code = 'flock($f = fopen($argv[1], "c"), LOCK_EX); echo "held\n"; sleep(60);';
        $process = proc_open([PHP_BINARY, '-r', $code, $file], [1 => ['pipe', 'w']], $pipes);
        self::assertIsResource($process);
        self::assertSame("held\n", fgets($pipes[1]));
        $waiting = self::send($this->server($mode), self::uri('flock', $name, 0));
        usleep(200_000);
        $start = microtime(true);
        proc_terminate($process, SIGKILL);

        self::assertSame(1, self::receive($waiting)['count']);
        self::assertLessThan(0.2, microtime(true) - $start);
        proc_close($process);
    }

    #[DataProvider('modes')]
    public function test_the_lock_of_a_killed_worker_is_free(string $mode): void
    {
        $server = $this->ownServer($mode, '--workers=2');
        $name = self::freshName();
        [$killed, $other] = $server->workers();
        $holders = self::sendTo($server, $killed, [self::uri('flock', $name, 5)]);
        $waiting = self::sendTo($server, $other, array_fill(0, 5, self::uri('flock', $name, 0)));
        $start = microtime(true);
        posix_kill($killed, SIGKILL);
        $answers = array_map(self::receive(...), $waiting);

        self::assertLessThan(0.5, microtime(true) - $start);
        self::assertSame([1, 2, 3, 4, 5], self::byArrival($answers, 'count'));
        self::assertSame('', stream_get_contents($holders[0]));
    }

    #[DataProvider('modes')]
    public function test_a_client_that_goes_leaves_the_queue(string $mode): void
    {
        $name = self::freshName();
        $server = $this->server($mode);
        $sockets = [];
        foreach (range(0, 4) as $number) {
            $sockets[] = self::send($server, self::uri('flock', $name, $number === 0 ? 0.4 : self::HOLD));
            usleep(30_000);
        }
        fclose($sockets[1]);
        fclose($sockets[3]);

        self::assertSame([1, 2, 3], array_map(
            static fn ($socket): mixed => self::receive($socket)['count'],
            [$sockets[0], $sockets[2], $sockets[4]],
        ));
    }
}
