<?php

declare(strict_types=1);

namespace Howdah\Combined;

use Howdah\HttpTests\FlowTestCase;
use Howdah\HttpTests\Http2;
use Howdah\HttpTests\Nginx;
use Howdah\HttpTests\Sanitized;
use Howdah\Tests\Clock;
use PHPUnit\Framework\Attributes\DataProvider;
use Random\Engine\Mt19937;
use Random\Randomizer;

/** Clients of HTTP/2 that break off at random: streams that are reset, and h2load that is killed. They leave nothing. */
final class ResetTest extends FlowTestCase
{
    private const SEED = 20261123;

    /** Megabytes: as much as the sanitizer keeps back of what was freed, and fragments. */
    private const GROWTH = 8;

    /** Of h2load and of streams that are reset. The second half must add nothing to the memory after the first. */
    private const ROUNDS = 16;

    /** Looks at the memory. It is now and then less by ten megabytes: the most of each half is compared. */
    private const LOOKS = 8;

    private const PAGES = ['/output?megabytes=1&flush=1', '/flushed?bytes=3000&ms=5', '/sleep?ms=20', '/input',
        '/late?bytes=100', '/flushes?count=50', '/headers?count=20&bytes=50'];

    protected function setUp(): void
    {
        parent::setUp();
        if (Sanitized::hasNginx()) {
            Sanitized::choose();
        }
    }

    #[DataProvider('modes')]
    public function test_streams_and_connections_that_break_off_leave_nothing(string $mode): void
    {
        $realms = 'howdah_concurrency 16; howdah_warm 16; howdah_idle_timeout 0;';
        $nginx = $this->serve($mode, "$realms location = /stub { stub_status; }");
        $worker = $nginx->workers()[0];
        $random = new Randomizer(new Mt19937(self::SEED));
        $most = [0.0, 0.0];
        for ($round = 0; $round < self::ROUNDS; ++$round) {
            $load = $this->load($nginx, $round, $random);
            self::resetStreams($nginx, $random);
            usleep($random->getInt(0, 100_000));
            foreach ($load as $process) {
                proc_terminate($process, SIGKILL);
                proc_close($process);
            }
            if (($round + 1) % intdiv(self::ROUNDS, self::LOOKS) === 0) {
                $this->awaitRest($nginx);
                $half = intdiv(2 * $round, self::ROUNDS);
                $most[$half] = max($most[$half], self::resident($nginx));
            }
        }
        self::assertLessThan(self::GROWTH, $most[1] - $most[0], 'megabytes more than in its first half');
        self::assertUnharmed($nginx, $worker);
        self::assertDoesNotMatchRegularExpression('/Sanitizer|runtime error: /', $nginx->log());
    }

    /**
     * nginx tells the streams of a broken connection one after the other that it has ended. What ends with the first must not
     * make PHP serve those that come after it: their answers would go to what nginx is about to free.
     */
    #[DataProvider('modes')]
    public function test_streams_that_wait_are_not_served_when_their_connection_breaks(string $mode): void
    {
        $one = 'howdah_concurrency 1; howdah_client_abort cancel; howdah_idle_timeout 0;';
        $nginx = $this->serve($mode, "$one location = /refused { return 403; }");
        $worker = $nginx->workers()[0];
        for ($round = 0; $round < 5; ++$round) {
            $client = new Http2($nginx->port2);
            $served = $client->request("/events?gate=$this->folder/none&events=2");
            self::assertTrue($client->until(static fn (Http2 $client): bool => isset($client->statuses[$served])));
            for ($i = 0; $i < 10; ++$i) {
                $client->request("/touch?file=$this->folder/served$i");
            }
            // nginx refuses it by itself, and has read the others then, which wait.
            $refused = $client->request('/refused');
            self::assertTrue($client->until(static fn (Http2 $client): bool => isset($client->ended[$refused])));
            self::assertEquals([$served => 200, $refused => 403], $client->statuses);
            $client->abort();
            self::assertSame(200, $nginx->client->get('/status')->status);
            self::assertSame([], glob("$this->folder/served*"), "round $round");
        }
        self::assertUnharmed($nginx, $worker);
        self::assertDoesNotMatchRegularExpression('/Sanitizer|runtime error: /', $nginx->log());
    }

    /**
     * The first half of the rounds has asked every realm for every page: one that comes to a large page only later would
     * look like something that was left.
     *
     * @return list<resource> h2load, twice, that will not come to its end: one asks, one sends bodies
     */
    private function load(Nginx $nginx, int $round, Randomizer $random): array
    {
        file_put_contents("$this->folder/body", str_repeat('a', 100_000));
        $processes = [];
        $asked = self::PAGES[$round % count(self::PAGES)];
        $sent = self::PAGES[$random->getInt(0, count(self::PAGES) - 1)];
        foreach ([[$asked, []], [$sent, ['-d', "$this->folder/body"]]] as [$page, $options]) {
            $command = ['h2load', '-n', '100000', '-c', '4', '-m', '32', ...$options, "http://127.0.0.1:{$nginx->port2}$page"];
            $nowhere = ['file', '/dev/null', 'w'];
            $process = proc_open($command, [['file', '/dev/null', 'r'], $nowhere, $nowhere], $pipes);
            self::assertIsResource($process);
            $processes[] = $process;
        }

        return $processes;
    }

    /** A connection with many streams, each of which is reset at some moment; some of them have read a little. */
    private static function resetStreams(Nginx $nginx, Randomizer $random): void
    {
        $client = new Http2($nginx->port2, $random->getInt(0, 1) === 0 ? 65_535 : 1000);
        $streams = [];
        for ($i = 0; $i < 60; ++$i) {
            $hasBody = $random->getInt(0, 3) === 0;
            $page = self::PAGES[$random->getInt(0, count(self::PAGES) - 1)];
            $streams[] = $stream = $client->request($page, $hasBody ? 'POST' : 'GET', [], $hasBody);
            if ($hasBody) {
                $client->sendBody($stream, str_repeat('b', $random->getInt(1, 5000)), $random->getInt(0, 1) === 0);
            }
            if ($random->getInt(0, 2) > 0) {
                $client->reset($streams[$random->getInt(0, count($streams) - 1)]);
            }
            if ($random->getInt(0, 9) === 0) {
                usleep(3000);
            }
        }
    }

    /** Every realm is free, and nginx has no connection but the one that asks. */
    private function awaitRest(Nginx $nginx): void
    {
        $connections = static fn (): string => strtok($nginx->client->get('/stub')->body, "\n") ?: '';
        $left = static fn (): array => ['realms' => self::busy($nginx), 'nginx' => trim($connections())];
        $nothing = ['realms' => 0, 'nginx' => 'Active connections: 1'];
        Clock::await(
            static fn (): bool => $left() === $nothing,
            static fn (): string => 'nothing is in use, not ' . json_encode($left()),
        );
    }
}
