<?php

declare(strict_types=1);

namespace Howdah\SessionTests;

use Howdah\HttpTests\HttpTestCase;
use Howdah\HttpTests\Response;
use Howdah\HttpTests\Server;
use Howdah\WaitingTests\Component\Redis;

/** Servers in both modes whose php.ini keeps sessions in files or in Redis. A kind of server is "classic files", "worker redis", ... */
abstract class SessionTestCase extends HttpTestCase
{
    protected const APP = __DIR__ . '/app';
    protected const MAY_CRASH = false;

    private static ?Redis $redis = null;
    private static ?string $folder = null;

    /** @return list<string> */
    protected static function options(string $mode): array
    {
        [$mode, $where] = explode(' ', $mode);
        $ini = $where === 'redis' ? self::redis() : ['session.save_handler' => 'files', 'session.save_path' => self::folder()];
        $ini += ['session.use_strict_mode' => '1', 'session.gc_probability' => '0', 'display_errors' => '0'];
        $app = $mode === 'worker' ? '--worker-script=' . self::APP . '/worker.php' : '--mode=classic';
        $settings = array_map(static fn (string $name): string => "--ini=$name=$ini[$name]", array_keys($ini));

        // More than users in a crowd: where all of them wait, there is room for one who looks.
        return ['--workers=1', '--concurrency=72', $app, ...$settings];
    }

    /** Where sessions are, when they are in files. */
    protected static function folder(): string
    {
        if (self::$folder === null) {
            $folder = self::$folder = sys_get_temp_dir() . '/howdah-sessions-' . bin2hex(random_bytes(6));
            mkdir($folder, 0700);
            register_shutdown_function(static fn () => exec('rm -rf ' . escapeshellarg($folder)));
        }

        return self::$folder;
    }

    /** @return array<string, string> */
    private static function redis(): array
    {
        if (self::$redis === null) {
            $redis = self::$redis = new Redis();
            register_shutdown_function($redis->stop(...));
            $redis->start();
        }
        $port = self::$redis->settings()['port'];

        return [
            'session.save_handler' => 'redis',
            'session.save_path' => "tcp://127.0.0.1:$port",
            'redis.session.locking_enabled' => '1',
            'redis.session.lock_retries' => '-1',
            'redis.session.lock_wait_time' => '2000',
        ];
    }

    /** @return resource a connection on which requests can be sent without waiting for answers */
    protected static function connect(Server $server)
    {
        $socket = stream_socket_client("tcp://127.0.0.1:$server->port", timeout: 10);
        self::assertNotFalse($socket);
        stream_set_timeout($socket, 60);

        return $socket;
    }

    /** The id that an answer has set as a cookie. */
    protected static function cookie(Response $response): ?string
    {
        foreach (array_reverse($response->headers['set-cookie'] ?? []) as $line) {
            if (preg_match('~^PHPSESSID=([^;]*)~', $line, $match) === 1) {
                return $match[1];
            }
        }

        return null;
    }
}
