<?php

declare(strict_types=1);

namespace Howdah\SessionTests;

use Howdah\HttpTests\Server;
use Howdah\Tests\Clock;
use PHPUnit\Framework\Attributes\DataProvider;

/**
 * 64 users at once, 16,000 requests: in both modes, with files and Redis, with the scripts' own handlers. Each answer is
 * compared with what the user's session must hold, and with what a request must find before it has one: nothing.
 */
final class CrowdTest extends SessionTestCase
{
    private const USERS = 64;

    private const SEED = 20261126;

    /** For all four servers; HOWDAH_SESSION_REQUESTS sets another number. With HOWDAH_LONG the second one. */
    private const REQUESTS = 16_000;
    private const MANY = 50_000;

    /** Who ask one after the other, a second between them, when nobody of the crowd is answered. */
    private const OTHERS = 30;

    /** @return array<string, array{string, list<string>}> a kind of server, and its users' handlers */
    public static function kinds(): array
    {
        $files = ['', 'store', 'callbacks', 'wrapped'];
        $redis = ['', 'wrapped'];

        return [
            'classic, files' => ['classic files', $files],
            'classic, Redis' => ['classic redis', $redis],
            'worker, files' => ['worker files', $files],
            'worker, Redis' => ['worker redis', $redis],
        ];
    }

    /** @param list<string> $handlers */
    #[DataProvider('kinds')]
    public function test_no_user_meets_another_s_session(string $kind, array $handlers): void
    {
        $server = $this->server($kind);
        $usual = getenv('HOWDAH_LONG') === false ? self::REQUESTS : self::MANY;
        $requests = intdiv((int) (getenv('HOWDAH_SESSION_REQUESTS') ?: $usual), count(self::kinds()));
        $seed = self::seed();
        mt_srand($seed);
        $users = $sockets = [];
        for ($number = 0; $number < self::USERS; $number++) {
            $socket = self::connect($server);
            $sockets[$number] = $socket;
            $users[$number] = new User("user $number", $handlers[$number % count($handlers)], explode(' ', $kind)[1], $socket);
            $users[$number]->ask();
        }
        $asked = self::USERS;
        $answered = 0;
        while ($answered < $asked) {
            $readable = $sockets;
            $none = $never = null;
            if (stream_select($readable, $none, $never, (int) Clock::PATIENCE) === 0) {
                $readable = $this->askOthers($server, $sockets, "$answered of $asked are answered, seed $seed: nobody more");
            }
            foreach (array_keys($readable) as $number) {
                if (!$users[$number]->hears("seed $seed")) {
                    continue;
                }
                $answered++;
                if ($asked < $requests) {
                    $asked++;
                    $users[$number]->ask();
                }
            }
        }
        self::assertSame(max($requests, self::USERS), $answered, "seed $seed");
        self::assertSame($answered, array_sum(array_map(static fn (User $user): int => $user->answers, $users)));
        self::assertStringNotContainsString('PHP ', $server->errors(), "seed $seed");
    }

    /**
     * Where nobody is answered any more: a server that is slow answers nobody else, either. One that goes on answering others,
     * again and again, has forgotten those who wait (a wake was lost), which is wrong and not late.
     *
     * @param  array<int, resource> $sockets
     * @return array<int, resource> those that can be read after all
     */
    private function askOthers(Server $server, array $sockets, string $what): array
    {
        for ($others = 0; $others < self::OTHERS; $others++) {
            $uri = '/?' . http_build_query(['do' => 'visit', 'handler' => '', 'user' => "other $others", 'wait' => '2000']);
            // Late by itself, where it is not answered.
            self::assertSame(200, $server->client->get($uri)->status, $what);
            $readable = $sockets;
            $none = $never = null;
            if (stream_select($readable, $none, $never, 1) > 0) {
                return $readable;
            }
        }
        self::fail("$what, and $others others were, each with a session, while these waited: " . $server->errors());
    }

    /** The same in each run, where HOWDAH_SEED names no other; in a long one a random one. */
    private static function seed(): int
    {
        $named = getenv('HOWDAH_SEED');

        return match (true) {
            is_string($named) && $named !== '' => (int) $named,
            getenv('HOWDAH_LONG') !== false => random_int(1, 1_000_000),
            default => self::SEED,
        };
    }
}
