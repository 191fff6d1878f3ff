<?php

declare(strict_types=1);

namespace Howdah\WaitingTests\App;

use PDO;
use Redis;
use RuntimeException;

/** One of many requests that wait at once: each has a number, and its answer is made of it by the peer that it waits on. */
final class Crowd
{
    /** An advisory lock: those who wait for the gate share it when the test lets it go. */
    public const GATE = 7;

    /** The connection of a worker-mode realm, made once. */
    private static ?PDO $pdo = null;

    /**
     * @param  float  $seconds how long the peer takes; negative: until the test opens the gate (Gate.php)
     * @return string the number, through the peer and back
     */
    public static function ask(string $peer, int $number, float $seconds): string
    {
        return match ($peer) {
            // In classic mode statics end with the request, persistent connections do not; some make a connection of their own.
            'postgres' => self::postgres($number, $seconds, $number % 16 !== 0),
            'persistent' => self::postgres($number, $seconds, true),
            'redis' => self::redis($number, $seconds),
            'http' => self::http($number, $seconds),
            default => throw new RuntimeException("no such peer: $peer"),
        };
    }

    private static function postgres(int $number, float $seconds, bool $persistent): string
    {
        self::$pdo ??= Postgres::pdo([], [PDO::ATTR_PERSISTENT => $persistent]);
        $waits = $seconds < 0 ? 'pg_advisory_xact_lock_shared(' . self::GATE . ')' : "pg_sleep($seconds)";
        $statement = self::$pdo->prepare("SELECT CAST(? AS int), $waits");
        $statement->execute([$number]);
        $answer = $statement->fetchColumn();

        return is_int($answer) ? (string) $answer : 'no number';
    }

    private static function redis(int $number, float $seconds): string
    {
        $settings = Settings::of('Redis');
        $redis = new Redis();
        $redis->connect($settings['host'], (int) $settings['port']);
        // Nobody pushes: the server answers when the time is over. blPop() of Debian 12's phpredis takes whole seconds only.
        $pushed = $redis->rawCommand('BLPOP', "crowd:$number", (string) max($seconds, 0));
        if ($seconds < 0 ? $pushed !== ["crowd:$number", 'open'] : !in_array($pushed, [null, false, []], true)) {
            return 'redis answered ' . json_encode($pushed);
        }
        $answer = $redis->echo((string) $number);

        return is_string($answer) ? $answer : 'no text';
    }

    /** Half of them with PHP's streams, half with curl. */
    private static function http(int $number, float $seconds): string
    {
        $url = Settings::of('SlowHttp')['url'] . "/$seconds/$number";
        if ($number % 2 === 0) {
            return (string) file_get_contents($url);
        }
        $curl = curl_init($url);
        curl_setopt($curl, CURLOPT_RETURNTRANSFER, true);

        return (string) curl_exec($curl);
    }
}
