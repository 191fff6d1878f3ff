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
        for ($round = 0; $round < 3; $round++) {
            self::assertInOrder(range(1, 10), function () use ($mode): array {
                $uri = self::uri('session', self::freshName(), self::HOLD);
                $answers = self::ask($this->server($mode), array_fill(0, 10, $uri));
                self::assertEqualsCanonicalizing(range(1, 10), array_column($answers, 'count'));
                self::assertNeverTwo($answers);

                return self::byArrival($answers, 'count');
            });
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
        $first = self::send($server, self::uri('session', $name, 1, ['how' => 'close']));
        usleep(100_000);
        $start = microtime(true);
        $second = $server->client->get(self::uri('session', $name, 0))->json();

        self::assertLessThan(0.3, microtime(true) - $start);
        self::assertSame(2, $second['count']);
        self::assertSame(1, self::receive($first)['count']);
    }

    #[DataProvider('modes')]
    public function test_who_reads_and_closes_waits_for_a_writer_and_lets_others_write(string $mode): void
    {
        $name = self::freshName();
        $server = $this->server($mode);
        $writer = self::send($server, self::uri('session', $name, 0.3));
        usleep(100_000);
        $reader = self::send($server, self::uri('session', $name, 0.6, ['how' => 'read']));
        usleep(300_000);
        $start = microtime(true);
        $last = $server->client->get(self::uri('session', $name, 0))->json();

        self::assertLessThan(0.2, microtime(true) - $start, 'the reader keeps it');
        self::assertSame(1, self::receive($writer)['count']);
        self::assertSame(1, self::receive($reader)['count'], 'what the writer left');
        self::assertSame(2, $last['count']);
    }

    #[DataProvider('modes')]
    public function test_an_aborted_session_is_free_and_unchanged(string $mode): void
    {
        $name = self::freshName();
        $server = $this->server($mode);
        $abort = self::send($server, self::uri('session', $name, 0.2, ['how' => 'abort']));
        usleep(100_000);

        self::assertSame(1, $server->client->get(self::uri('session', $name, 0))->json()['count']);
        self::assertSame(1, self::receive($abort)['count']);
    }

    /** PHP writes a session at the end of a request, however it ends. */
    #[DataProvider('endsInModes')]
    public function test_the_session_of_a_request_that_ends_early_is_free(string $mode, string $way): void
    {
        $name = self::freshName();
        $server = $this->server($mode);
        $first = self::send($server, self::uri('session', $name, 0.2, ['end' => $way]));
        usleep(100_000);
        $start = microtime(true);

        self::assertSame(2, $server->client->get(self::uri('session', $name, 0))->json()['count']);
        self::assertLessThan(0.4, microtime(true) - $start);
        fclose($first);
    }

    #[DataProvider('modes')]
    public function test_a_client_that_goes_leaves_the_queue(string $mode): void
    {
        $name = self::freshName();
        $server = $this->server($mode);
        $sockets = [];
        foreach (range(0, 4) as $number) {
            $sockets[] = self::send($server, self::uri('session', $name, $number === 0 ? 0.4 : self::HOLD));
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
