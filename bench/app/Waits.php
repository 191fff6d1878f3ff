<?php

declare(strict_types=1);

namespace Howdah\Bench\App;

use CurlHandle;
use PDO;
use Redis;

/** Waits for so many milliseconds, each time on something else: what requests of the suites wait-* do. */
final class Waits
{
    private static ?PDO $postgres = null;
    private static ?Redis $redis = null;
    private static ?CurlHandle $http = null;

    public static function answer(): void
    {
        $ms = (int) filter_var($_GET['ms'] ?? 0, FILTER_VALIDATE_INT);
        $at = is_string($_GET['at'] ?? null) ? $_GET['at'] : '';
        $done = match ($_GET['on'] ?? 'sleep') {
            'sleep' => self::sleep($ms),
            'postgres' => self::postgres($at, $ms),
            'redis' => self::redis($at, $ms),
            'http' => self::http($at, $ms),
            default => false,
        };
        header('Content-Type: text/plain; charset=utf-8');
        echo $done ? "Hello, World!\n" : "It did not wait.\n";
    }

    private static function sleep(int $ms): bool
    {
        usleep($ms * 1000);

        return true;
    }

    /** Persistent: php-fpm would otherwise connect for each request, which worker mode need not. */
    private static function postgres(string $at, int $ms): bool
    {
        self::$postgres ??= new PDO("pgsql:host=$at;user=postgres", options: [PDO::ATTR_PERSISTENT => true]);
        $statement = self::$postgres->query('SELECT 7 FROM pg_sleep(' . $ms / 1000 . ')');

        return $statement !== false && $statement->fetchColumn() === 7;
    }

    /** Nobody puts anything into the list. */
    private static function redis(string $at, int $ms): bool
    {
        if (self::$redis === null) {
            self::$redis = new Redis();
            self::$redis->pconnect($at);
        }

        $got = self::$redis->rawCommand('BLPOP', 'nothing', (string) ($ms / 1000));

        return self::$redis->getLastError() === null && in_array($got, [null, false, []], true);
    }

    private static function http(string $at, int $ms): bool
    {
        self::$http ??= curl_init();
        if ($at === '') {
            return false;
        }
        curl_setopt_array(self::$http, [
            CURLOPT_URL => "http://slow/$ms",
            CURLOPT_UNIX_SOCKET_PATH => $at,
            CURLOPT_RETURNTRANSFER => true,
        ]);

        return curl_exec(self::$http) === "waited $ms\n";
    }
}
