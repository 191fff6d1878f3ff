<?php

declare(strict_types=1);

namespace Howdah\SessionTests;

use Howdah\HttpTests\Response;
use Howdah\Tests\Clock;
use PHPUnit\Framework\Attributes\DataProvider;

/** What PHP promises about sessions, for each way to keep them. Their order and dead holders: tests/waiting/SessionTest. */
final class SessionTest extends SessionTestCase
{
    /** @return array<string, array{string, string}> a kind of server, and the script's own handler */
    public static function kinds(): array
    {
        $kinds = [];
        foreach (['classic', 'worker'] as $mode) {
            foreach (['files', 'redis'] as $name) {
                $kinds["$mode, $name"] = ["$mode $name", ''];
            }
            foreach (['store', 'callbacks', 'wrapped'] as $own) {
                $kinds["$mode, $own"] = ["$mode files", $own];
            }
            $kinds["$mode, wrapped redis"] = ["$mode redis", 'wrapped'];
        }

        return $kinds;
    }

    #[DataProvider('kinds')]
    public function test_a_session_belongs_to_its_cookie(string $kind, string $own): void
    {
        $first = $this->ask($kind, $own, null, user: 'one');
        $id = self::cookie($first);
        self::assertNotNull($id);
        $other = self::cookie($this->ask($kind, $own, null, user: 'two'));
        self::assertNotSame($id, $other);
        self::assertSame(['count' => 1, 'user' => 'one'], $this->ask($kind, $own, $id)->json()['had']);
        self::assertSame(['count' => 1, 'user' => 'two'], $this->ask($kind, $own, $other)->json()['had']);
        self::assertSame(['count' => 2, 'user' => 'one'], $this->ask($kind, $own, $id)->json()['had']);
    }

    /** What came before in the realm is no part of a request: each answer's `before` is looked at by ask(). */
    #[DataProvider('kinds')]
    public function test_a_request_without_a_session_has_none(string $kind, string $own): void
    {
        $id = self::cookie($this->ask($kind, $own, null, user: 'one'));
        $none = $this->ask($kind, $own, $id, 'nothing');

        self::assertNull(self::cookie($none));
        self::assertNull(self::cookie($this->ask($kind, '', null, 'nothing')));
    }

    #[DataProvider('kinds')]
    public function test_an_id_that_nobody_gave_is_not_taken(string $kind, string $own): void
    {
        $answer = $this->ask($kind, $own, 'chosenbyanattacker');

        self::assertSame([], $answer->json()['had']);
        if ($own === 'wrapped') {
            // SessionHandler has no validateId(): a class of its own kind takes each id, as under php-fpm.
            self::assertSame('chosenbyanattacker', $answer->json()['id']);
            $this->ask($kind, $own, 'chosenbyanattacker', 'destroy');

            return;
        }
        self::assertNotSame('chosenbyanattacker', $answer->json()['id']);
        self::assertSame($answer->json()['id'], self::cookie($answer));
    }

    #[DataProvider('kinds')]
    public function test_one_session_is_one_request_s_at_a_time(string $kind, string $own): void
    {
        $id = self::cookie($this->ask($kind, $own, null, user: 'one'));
        $requests = array_fill(0, 12, [self::uri('visit', $own, ['wait' => '3000']), self::with($id)]);
        $counts = array_map(
            static fn (Response $response): mixed => self::values(self::untouched($response)['has'])['count'] ?? null,
            $this->server($kind)->client->all($requests),
        );
        sort($counts);

        self::assertSame(range(2, 13), $counts);
    }

    #[DataProvider('kinds')]
    public function test_a_new_id_has_the_old_one_s_values(string $kind, string $own): void
    {
        $id = self::cookie($this->ask($kind, $own, null, user: 'one'));
        $kept = $this->ask($kind, $own, $id, 'regenerate');
        $second = self::cookie($kept);
        self::assertNotSame($id, $second);
        self::assertSame(['count' => 2, 'user' => 'one'], $this->ask($kind, $own, $second)->json()['had']);
        self::assertSame(['count' => 2, 'user' => 'one'], $this->ask($kind, $own, $id)->json()['had'], 'the old one stays');

        $third = self::cookie($this->ask($kind, $own, $second, 'regenerate', ['delete' => '1']));
        self::assertSame('one', self::values($this->ask($kind, $own, $third)->json()['had'])['user'] ?? null);
        $gone = $this->ask($kind, $own, $second);
        self::assertSame([], $gone->json()['had'], 'the old one is gone');
        self::assertSame($own === 'wrapped', $second === $gone->json()['id']);
    }

    #[DataProvider('kinds')]
    public function test_a_destroyed_session_is_gone(string $kind, string $own): void
    {
        $id = self::cookie($this->ask($kind, $own, null, user: 'one'));
        $other = self::cookie($this->ask($kind, $own, null, user: 'two'));
        $destroyed = $this->ask($kind, $own, $id, 'destroy')->json();
        self::assertSame([true, [PHP_SESSION_NONE, '']], [$destroyed['destroyed'], $destroyed['after']]);
        self::assertSame(['count' => 1, 'user' => 'one'], $destroyed['had']);

        self::assertSame([], $this->ask($kind, $own, $id)->json()['had']);
        self::assertSame(['count' => 1, 'user' => 'two'], $this->ask($kind, $own, $other)->json()['had']);
    }

    #[DataProvider('kinds')]
    public function test_old_sessions_are_collected_and_others_not(string $kind, string $own): void
    {
        $young = self::cookie($this->ask($kind, $own, null, user: 'young'));
        if (str_contains($kind, 'redis')) {
            // It lets them go by itself.
            $old = self::cookie($this->ask($kind, $own, null, 'short', user: 'old'));
            usleep(1_500_000);
        } else {
            $old = self::cookie($this->ask($kind, $own, null, user: 'old'));
            $this->age((string) $old);
            self::assertSame(1, $this->ask($kind, $own, null, 'gc')->json()['collected']);
        }
        self::assertSame([], $this->ask($kind, $own, $old)->json()['had']);
        self::assertSame(['count' => 1, 'user' => 'young'], $this->ask($kind, $own, $young)->json()['had']);
    }

    #[DataProvider('kinds')]
    public function test_a_closed_session_is_free_while_its_request_goes_on(string $kind, string $own): void
    {
        $id = self::cookie($this->ask($kind, $own, null, user: 'one'));
        $flag = sys_get_temp_dir() . '/howdah-session-flag-' . bin2hex(random_bytes(6));
        $socket = self::connect($this->server($kind));
        $uri = self::uri('close', $own, ['flag' => $flag]);
        fwrite($socket, "GET $uri HTTP/1.1\r\nHost: localhost\r\nCookie: PHPSESSID=$id\r\nConnection: close\r\n\r\n");
        try {
            Clock::await(static fn (): bool => file_exists("$flag.closed"), 'the session is closed');
            self::assertSame(['count' => 2, 'user' => 'one'], $this->ask($kind, $own, $id)->json()['had']);
        } finally {
            touch($flag);
        }
        $answer = (string) stream_get_contents($socket);
        array_map(unlink(...), [$flag, "$flag.closed"]);
        self::assertStringContainsString('"closed":true,"status":1', $answer);
        self::assertSame(['count' => 3, 'user' => 'one'], $this->ask($kind, $own, $id)->json()['had'], 'nothing late');
    }

    #[DataProvider('kinds')]
    public function test_a_session_is_opened_again_read_only_aborted_and_reset(string $kind, string $own): void
    {
        $id = self::cookie($this->ask($kind, $own, null, user: 'one'));
        $twice = $this->ask($kind, $own, $id, 'twice')->json();
        $two = ['count' => 2, 'user' => 'one'];
        $expected = [['count' => 1, 'user' => 'one'], $two, PHP_SESSION_NONE];
        self::assertSame($expected, [$twice['had'], $twice['has'], $twice['status']]);
        self::assertSame(true, $this->ask($kind, $own, $id, 'abort')->json()['aborted']);
        if (!str_contains($kind, 'redis')) {
            // phpredis would wait for its own lock, anywhere.
            $reset = $this->ask($kind, $own, $id, 'reset')->json();
            self::assertSame([true, $two], [$reset['reset'], $reset['has']]);
        }
        self::assertSame($two, $this->ask($kind, $own, $id)->json()['had']);
    }

    /** As if it had last been used yesterday. */
    private function age(string $id): void
    {
        foreach (['sess', 'own'] as $prefix) {
            $file = self::folder() . "/{$prefix}_$id";
            if (is_file($file)) {
                touch($file, time() - 86_400);
            }
        }
    }

    /** @param array<string, string> $more */
    private function ask(string $kind, string $own, ?string $id, string $do = '', array $more = [], string $user = ''): Response
    {
        $response = $this->server($kind)->client->get(self::uri($do, $own, $more + ['user' => $user]), self::with($id));
        self::untouched($response);

        return $response;
    }

    /** @return array<array-key, mixed> */
    private static function values(mixed $session): array
    {
        self::assertIsArray($session);

        return $session;
    }

    /** @return array<array-key, mixed> an answer whose request found nothing of those before it */
    private static function untouched(Response $response): array
    {
        $json = $response->json();
        self::assertIsArray($json['before']);
        self::assertSame([PHP_SESSION_NONE, '', false, 'PHPSESSID'], array_slice($json['before'], 0, 4));
        self::assertContains($json['before'][4], ['files', 'redis']);

        return $json;
    }

    /** @param array<string, string> $more */
    private static function uri(string $do, string $own, array $more = []): string
    {
        return '/?' . http_build_query(['do' => $do, 'handler' => $own] + $more);
    }

    /** @return array<int, mixed> */
    private static function with(?string $id): array
    {
        return $id === null ? [] : [CURLOPT_COOKIE => "PHPSESSID=$id"];
    }
}
