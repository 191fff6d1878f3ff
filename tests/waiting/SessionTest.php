<?php

declare(strict_types=1);

namespace Howdah\WaitingTests;

use PHPUnit\Framework\Attributes\DataProvider;

/** Clients with one session id. */
final class SessionTest extends LockTestCase
{
    #[DataProvider('modes')]
    public function test_ten_clients_are_served_in_the_order_in_which_they_came(string $mode): void
    {
        for ($round = 0; $round < 2; $round++) {
            $uri = self::uri('session', self::freshName(), 0);
            $answers = self::askInTurn($this->server($mode), array_fill(0, 10, $uri));

            self::assertSame(range(1, 10), array_column($answers, 'count'));
            self::assertNeverTwo($answers);
        }
    }

    #[DataProvider('modes')]
    public function test_ten_clients_of_two_workers_are_all_served(string $mode): void
    {
        $server = $this->ownServer($mode, '--workers=2');
        $name = self::freshName();
        $answers = self::askBoth($server, array_fill(0, 5, self::uri('session', $name, self::HOLD)));

        self::assertEqualsCanonicalizing(range(1, 10), array_column($answers, 'count'));
        self::assertNeverTwo($answers);
    }

    #[DataProvider('modes')]
    public function test_a_session_that_is_closed_early_is_free(string $mode): void
    {
        $name = self::freshName();
        $server = $this->server($mode);
        $first = self::sendAndAwait($server, self::uri('session', $name, 0, ['how' => 'close', 'until' => "$name-go"]));

        // The first one goes on: it ends when this one has.
        self::assertSame(2, self::receive(self::send($server, self::uri('session', $name)))['count']);
        self::release("$name-go");
        self::assertSame(1, self::receive($first)['count']);
    }

    #[DataProvider('modes')]
    public function test_who_reads_and_closes_waits_for_a_writer_and_lets_others_write(string $mode): void
    {
        $name = self::freshName();
        $server = $this->server($mode);
        $writer = self::sendAndAwait($server, self::uri('session', $name, 0, ['until' => "$name-written"]));
        $reads = ['how' => 'read', 'takes' => "$name-has", 'until' => "$name-go"];
        $reader = self::sendAndAwait($server, self::uri('session', $name, 0, $reads));
        self::release("$name-written");
        self::awaitFile("$name-has");
        // The reader goes on: it ends when this one has.
        $last = self::receive(self::send($server, self::uri('session', $name)));
        self::release("$name-go");

        self::assertSame(1, self::receive($writer)['count']);
        self::assertSame(1, self::receive($reader)['count'], 'what the writer left');
        self::assertSame(2, $last['count']);
    }

    #[DataProvider('modes')]
    public function test_an_aborted_session_is_free_and_unchanged(string $mode): void
    {
        $name = self::freshName();
        $server = $this->server($mode);
        $abort = self::sendAndAwait($server, self::uri('session', $name, 0, ['how' => 'abort', 'until' => "$name-go"]));
        $second = self::sendAndAwait($server, self::uri('session', $name));
        self::release("$name-go");

        self::assertSame(1, self::receive($second)['count']);
        self::assertSame(1, self::receive($abort)['count']);
    }

    /** PHP writes a session at the end of a request, however it ends. */
    #[DataProvider('endsInModes')]
    public function test_the_session_of_a_request_that_ends_early_is_free(string $mode, string $way): void
    {
        $name = self::freshName();
        $server = $this->server($mode);
        $first = self::sendAndAwait($server, self::uri('session', $name, 0, ['end' => $way, 'until' => "$name-go"]));
        $second = self::sendAndAwait($server, self::uri('session', $name));
        self::release("$name-go");

        self::assertSame(2, self::receive($second)['count']);
        fclose($first);
    }

    #[DataProvider('modes')]
    public function test_a_client_that_goes_leaves_the_queue(string $mode): void
    {
        $name = self::freshName();
        $server = $this->server($mode);
        $uris = array_fill(0, 5, self::uri('session', $name));
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
