<?php

declare(strict_types=1);

namespace Howdah\SessionTests;

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
                Clock::late("$answered of $asked are answered, seed $seed: nobody more");
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
