<?php

declare(strict_types=1);

namespace Howdah\WaitingTests;

use Howdah\Tests\Clock;
use Howdah\WaitingTests\Component\SlowDns;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;

/** Every name server is silent: those who ask one wait, and their neighbours' local names do not. */
#[Group('other')]
final class LookUpTest extends WaitingTestCase
{
    /** More than a worker has threads for (engine/hooks/offload.c). */
    private const SILENT = 68;

    /** Seconds until the server answers, which it does not until it is told to. */
    private const NEVER = 3000.0;

    /** Each asks a server in another function of the C library. */
    private const ROWS = ['dns-gethostbyname', 'dns-get-record', 'dns-addrinfo', 'dns-gethostbynamel'];

    private ?SlowDns $names = null;

    protected function setUp(): void
    {
        $this->names = new SlowDns();
        $this->names->start();
        $this->names->beAwaited();
    }

    protected function tearDown(): void
    {
        $this->names?->hurry();
        parent::tearDown();
        $this->names?->stop();
        if (Components::run(SlowDns::class)) {
            Components::get(SlowDns::class)->limit(null);
        }
    }

    #[DataProvider('modes')]
    public function test_local_names_do_not_wait_for_those_that_ask_silent_servers(string $mode): void
    {
        $server = $this->ownServer($mode, '--concurrency=' . (self::SILENT + 8));
        $silent = [];
        for ($number = 0; $number < self::SILENT; ++$number) {
            $socket = stream_socket_client("tcp://127.0.0.1:{$server->port}");
            self::assertIsResource($socket);
            stream_set_timeout($socket, (int) Clock::PATIENCE);
            $uri = self::uri(self::ROWS[$number % count(self::ROWS)], 'wait', self::NEVER);
            fwrite($socket, "GET $uri HTTP/1.0\r\nHost: localhost\r\n\r\n");
            $silent[] = $socket;
        }
        self::awaitWaiting($server, self::SILENT);
        $expected = self::awaitCli(self::startCli('local-names', 'wait', 0));

        $answers = $server->client->all(array_fill(0, 8, self::uri('local-names', 'wait', 0)));

        $waiting = $server->client->get('/?do=status')->json()['waiting'];
        self::assertSame(self::SILENT, $waiting, 'local names waited until others had given up');
        foreach ($answers as $answer) {
            self::assertSame($expected->told, Outcome::fromJson($answer->body)->told);
        }
        $this->names?->hurry();
        foreach ($silent as $number => $socket) {
            $answer = (string) stream_get_contents($socket);
            stream_get_meta_data($socket)['timed_out'] && Clock::late('a look-up does not end, though its server answers');
            self::assertStringContainsString(' 200 OK', $answer, self::ROWS[$number % count(self::ROWS)]);
            self::assertStringNotContainsString('"result":false', $answer, self::ROWS[$number % count(self::ROWS)]);
        }
    }
}
