<?php

declare(strict_types=1);

namespace Howdah\SessionTests;

/** A worker script's own session handler: of its boot, and of a request. */
final class BootTest extends SessionTestCase
{
    protected static function options(string $mode): array
    {
        return [...parent::options($mode), '--worker-script=' . self::APP . '/boot.php', '--concurrency=1'];
    }

    public function test_the_handler_of_the_boot_holds_for_each_request(): void
    {
        $client = $this->server('worker files')->client;
        $id = null;
        for ($round = 1; $round <= 5; $round++) {
            $answer = $client->get('/', $id === null ? [] : [CURLOPT_COOKIE => "PHPSESSID=$id"]);
            $id ??= self::cookie($answer);
            self::assertSame([PHP_SESSION_NONE, '', false, 'PHPSESSID', 'user'], $answer->json()['before']);
            self::assertSame(['count' => $round], $answer->json()['has'], 'the Store has kept it');
        }
        self::assertFileExists(self::folder() . "/own_$id");
    }

    public function test_the_handler_of_a_request_ends_with_it(): void
    {
        $client = $this->server('worker files')->client;
        $store = [CURLOPT_COOKIE => 'PHPSESSID=' . self::cookie($client->get('/?user=store'))];
        $wrapped = [CURLOPT_COOKIE => 'PHPSESSID=' . self::cookie($client->get('/?handler=callbacks&user=callbacks'))];
        for ($round = 1; $round <= 4; $round++) {
            self::assertSame(['count' => $round, 'user' => 'store'], $client->get('/', $store)->json()['had']);
            $other = $client->get('/?handler=callbacks', $wrapped)->json();
            self::assertSame(['count' => $round, 'user' => 'callbacks'], $other['had']);
            self::assertSame('user', is_array($other['before']) ? $other['before'][4] : null);
        }
    }
}
