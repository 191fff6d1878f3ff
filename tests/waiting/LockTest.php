<?php

declare(strict_types=1);

namespace Howdah\WaitingTests;

use Howdah\Tests\Clock;
use PHPUnit\Framework\Attributes\DataProvider;

/** Requests that lock one file. */
final class LockTest extends LockTestCase
{
    #[DataProvider('modes')]
    public function test_five_writers_are_served_in_the_order_in_which_they_came(string $mode): void
    {
        for ($round = 0; $round < 2; $round++) {
            $answers = self::askInTurn($this->server($mode), array_fill(0, 5, self::uri('flock', self::freshName(), 0)));

            self::assertSame(range(1, 5), array_column($answers, 'count'));
            self::assertNeverTwo($answers);
        }
    }

    #[DataProvider('modes')]
    public function test_five_writers_of_file_put_contents_are_served_in_the_order_in_which_they_came(string $mode): void
    {
        $name = self::freshName();
        $writers = ['a', 'b', 'c', 'd', 'e'];
        $answers = self::askInTurn($this->server($mode), array_map(
            static fn (string $by): string => self::uri('append', $name, 0, ['by' => $by]),
            $writers,
        ));

        self::assertSame([2, 2, 2, 2, 2], array_column($answers, 'written'));
        self::assertSame($writers, file(Components::folder() . "/$name", FILE_IGNORE_NEW_LINES));
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
        $all = self::freshName();
        $uris = [];
        foreach (['w', 'r', 'r', 'r', 'w', 'r', 'r', 'r', 'w'] as $number => $who) {
            $reads = ['how' => 'shared', 'until' => $all, 'takes' => "$name-has-$number"];
            $uris[] = self::uri('flock', $name, 0, $who === 'r' ? $reads : []);
        }
        $uris[0] .= "&until=$name-go";
        $server = $this->server($mode);
        $sockets = self::sendInTurn($server, $server->workers()[0], $uris);
        self::release("$name-go");
        // Each of these readers keeps it until all of them have it.
        array_map(static fn (int $number) => self::awaitFile("$name-has-$number"), [1, 2, 3]);
        self::release($all);
        $answers = array_map(self::receive(...), $sockets);
        $writers = [$answers[0], $answers[4], $answers[8]];
        $readers = [...array_slice($answers, 1, 3), ...array_slice($answers, 5, 3)];

        self::assertEqualsCanonicalizing([1, 2, 3], array_column($writers, 'count'));
        self::assertNeverTwo($writers);
        foreach ($readers as $reader) {
            foreach ($writers as $writer) {
                self::assertNeverTwo([$reader, $writer]);
            }
        }
    }

    #[DataProvider('endsInModes')]
    public function test_the_lock_of_a_request_that_ends_early_is_free(string $mode, string $way): void
    {
        $name = self::freshName();
        $server = $this->server($mode);
        $first = self::sendAndAwait($server, self::uri('flock', $name, 0, ['end' => $way, 'until' => "$name-go"]));
        $second = self::sendAndAwait($server, self::uri('flock', $name));
        self::release("$name-go");

        self::assertSame(1, self::receive($second)['count']);
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
        $waiting = self::sendAndAwait($this->server($mode), self::uri('flock', $name));
        $clock = Clock::start();
        proc_terminate($process, SIGKILL);

        self::assertSame(1, self::receive($waiting)['count']);
        $clock->assertWithin(1, 'it has the lock');
        proc_close($process);
    }

    #[DataProvider('modes')]
    public function test_the_lock_of_a_killed_worker_is_free(string $mode): void
    {
        $server = $this->ownServer($mode, '--workers=2');
        $name = self::freshName();
        [$killed, $other] = $server->workers();
        $holders = self::sendInTurn($server, $killed, [self::uri('flock', $name, 60)]);
        $waiting = self::sendInTurn($server, $other, array_fill(0, 5, self::uri('flock', $name, 0)));
        $clock = Clock::start();
        posix_kill($killed, SIGKILL);
        $answers = array_map(self::receive(...), $waiting);

        $clock->assertWithin(2, 'all have had the lock');
        self::assertSame(range(1, 5), array_column($answers, 'count'));
        self::assertSame('', stream_get_contents($holders[0]));
    }

    #[DataProvider('modes')]
    public function test_a_client_that_goes_leaves_the_queue(string $mode): void
    {
        $name = self::freshName();
        $server = $this->server($mode);
        $uris = array_fill(0, 5, self::uri('flock', $name));
        $uris[0] .= "&until=$name-go";
        $sockets = self::sendInTurn($server, $server->workers()[0], $uris);
        fclose($sockets[1]);
        fclose($sockets[3]);
        self::awaitGone($server);
        self::release("$name-go");

        self::assertSame([1, 2, 3], array_map(
            static fn ($socket): mixed => self::receive($socket)['count'],
            [$sockets[0], $sockets[2], $sockets[4]],
        ));
    }
}
