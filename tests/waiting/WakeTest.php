<?php

declare(strict_types=1);

namespace Howdah\WaitingTests;

use Howdah\HttpTests\Cork;
use Howdah\HttpTests\DirectiveTestCase;
use Howdah\HttpTests\Http1;
use Howdah\Tests\Clock;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;

/**
 * What docs/waiting.md says of applications' own races: in which order realms go on whose look-ups have ended meanwhile, and
 * that one request at a time has nobody to race with. The test is the name server, and the database.
 */
#[Group('other')]
final class WakeTest extends DirectiveTestCase
{
    protected const APP = __DIR__ . '/race';

    private const REALMS = 8;

    /** @var resource|null the name server's socket */
    private $names = null;

    /** @var resource the database's */
    private $database;

    private string $path;

    /** @return list<string> */
    protected static function options(string $mode): array
    {
        return [...parent::options($mode), '--ini=ffi.enable=1'];
    }

    protected function setUp(): void
    {
        parent::setUp();
        $this->path = "{$this->folder}/database";
        $database = stream_socket_server("unix://{$this->path}");
        self::assertIsResource($database);
        $this->database = $database;
    }

    protected function tearDown(): void
    {
        $this->names === null || fclose($this->names);
        $this->names = null;
        parent::tearDown();
    }

    #[DataProvider('modes')]
    public function test_realms_whose_look_ups_have_ended_go_on_in_that_order_before_any_answer_is_looked_at(string $mode): void
    {
        $address = '127.' . random_int(2, 254) . '.' . random_int(0, 255) . '.' . random_int(2, 254);
        $this->listen($address);
        // Who goes on does so until it waits.
        $this->serve($mode, '', ['howdah_concurrency 16;' => 'howdah_concurrency 16; howdah_slice 0;']);
        $corks = $requests = $sessions = [];
        for ($number = 0; $number < self::REALMS; ++$number) {
            $corks[] = $cork = new Cork();
            $query = ['number' => $number, 'name' => "n$number.howdah.test", 'at' => $cork->path];
            $requests[] = (new Http1($this->port))->get($this->race($query));
            $sessions[] = $this->session($number);
        }
        $questions = [];
        while (count($questions) < self::REALMS) {
            [$name, $question] = $this->question();
            $questions[$name] = $question;
        }
        $block = new Cork();
        $blocked = (new Http1($this->port))->get("/?do=block&at={$block->path}");
        $block->await();
        $worker = $this->workers()[0];

        // They end one after the other, last one first, while the worker hears of nobody.
        $order = array_reverse(array_keys($sessions));
        self::awaitAsking($worker, self::REALMS);
        foreach ($order as $number) {
            $this->answer(...$questions["n$number.howdah.test"]);
            self::awaitAsking($worker, $number);
        }
        $block->pull();

        $before = null;
        foreach ($order as $number) {
            // The worker is in its code from here on: what others say before it is all that they have to say.
            self::readable($sessions, (int) Clock::PATIENCE) === [] && Clock::late('nobody goes on');
            self::assertSame([$sessions[$number]], array_values(self::readable($sessions)), "these go on before $number");
            $corks[$number]->await();
            self::assertSame("woken by 127.0.0.1\n", self::line($sessions[$number]));
            self::assertSame([], self::readable($sessions), "these go on together with $number");
            // Only now: who asks for an answer that is there does not wait.
            $before === null || fwrite($sessions[$before], "gone\n");
            $corks[$number]->pull();
            self::assertSame("DELETE\n", self::line($sessions[$number]));
            $before = $number;
        }
        fwrite($sessions[$before], "gone\n");
        foreach ($order as $number) {
            self::assertSame("INSERT\n", self::line($sessions[$number]));
            fwrite($sessions[$number], "there\n");
            self::assertSame("gone\nthere\n", $requests[$number]->read()?->body);
        }
        self::assertSame(200, $blocked->read()?->status);
    }

    #[DataProvider('modes')]
    public function test_one_request_at_a_time_has_nobody_to_race_with(string $mode): void
    {
        $client = $this->serve($mode, '', ['howdah_concurrency 16;' => 'howdah_concurrency 1;']);
        $first = (new Http1($this->port))->get($this->race(['number' => 1]));
        $one = $this->session(1);
        $second = (new Http1($this->port))->get($this->race(['number' => 2]));
        foreach (['DELETE', 'INSERT'] as $statement) {
            self::assertSame("$statement\n", self::line($one));
            // What the worker was sent before it has read.
            foreach ([1, 2] as $time) {
                self::assertSame("a file\n", $client->get('/page.txt')->body, "time $time");
            }
            self::assertSame([], self::readable([$this->database]), "another one before $statement is done");
            fwrite($one, "done\n");
        }
        $two = $this->session(2);
        foreach (['DELETE', 'INSERT'] as $statement) {
            self::assertSame("$statement\n", self::line($two));
            fwrite($two, "done\n");
        }
        self::assertSame(["done\ndone\n", "done\ndone\n"], [$first->read()?->body, $second->read()?->body]);
    }

    /** @param array<string, int|string> $query */
    private function race(array $query): string
    {
        return '/?' . http_build_query(['do' => 'race', 'database' => $this->path] + $query);
    }

    private function listen(string $address): void
    {
        if (posix_geteuid() !== 0) {
            self::markTestSkipped('DNS on port 53 and a resolv.conf of its own need root: run the tests as root');
        }
        if (!Resolver::ask($address, 15, 5)) {
            self::markTestSkipped('unshare(CLONE_NEWNS) or mount failed: is this a container without CAP_SYS_ADMIN?');
        }
        $names = stream_socket_server("udp://$address:53", $code, $message, STREAM_SERVER_BIND);
        self::assertIsResource($names, "$address:53: $message");
        $this->names = $names;
    }

    /** @return array{string, array{string, string}} the name, what was asked, and by whom */
    private function question(): array
    {
        assert($this->names !== null);
        self::readable([$this->names], (int) Clock::PATIENCE) === [] && Clock::late('nobody asks for a name');
        $query = (string) stream_socket_recvfrom($this->names, 512, 0, $from);
        assert(is_string($from));
        for ($name = [], $at = 12; ($length = ord($query[$at])) > 0; $at += $length + 1) {
            $name[] = substr($query, $at + 1, $length);
        }

        return [implode('.', $name), [$query, $from]];
    }

    /** RFC 1035, section 4.1: an answer that is authoritative, to the question repeated; the record's name is a pointer to byte 12. */
    private function answer(string $query, string $to): void
    {
        assert($this->names !== null);
        $end = (int) strpos($query, "\0", 12) + 5;
        $head = substr($query, 0, 2) . pack('n5', 0x8580, 1, 1, 0, 0);
        $record = pack('nnnNn', 0xc00c, 1, 1, 60, 4) . "\x7f\0\0\1";
        stream_socket_sendto($this->names, $head . substr($query, 12, $end - 12) . $record, 0, $to);
    }

    /** Until of the worker's threads, on which calls are done that block, all but so many wait for one. */
    private static function awaitAsking(int $worker, int $count): void
    {
        $waits = static fn (string $thread): bool => str_starts_with((string) @file_get_contents("$thread/wchan"), 'futex');
        $asking = static fn (): int => count(array_filter(
            array_diff(glob("/proc/$worker/task/*") ?: [], ["/proc/$worker/task/$worker"]),
            static fn (string $thread): bool => !$waits($thread),
        ));
        Clock::await(static fn (): bool => $asking() === $count, static fn (): string => "$count ask, not {$asking()}");
    }

    /** @return resource the connection of a request, which has told its number */
    private function session(int $number)
    {
        $session = stream_socket_accept($this->database, Clock::PATIENCE);
        if ($session === false) {
            Clock::late("request $number does not come");
        }
        stream_set_timeout($session, (int) Clock::PATIENCE);
        self::assertSame("$number\n", self::line($session));

        return $session;
    }

    /** @param resource $session */
    private static function line($session): string
    {
        $line = fgets($session);
        stream_get_meta_data($session)['timed_out'] && Clock::late('a request says nothing');

        return (string) $line;
    }

    /**
     * @param  array<int, resource> $sockets
     * @return array<int, resource>
     */
    private static function readable(array $sockets, int $seconds = 0): array
    {
        $none = null;
        stream_select($sockets, $none, $none, $seconds);

        return $sockets;
    }
}
