<?php

declare(strict_types=1);

namespace Howdah\WaitingTests\App;

use mysqli;
use PDO;

/** Connections to Component\MariaDb: by TCP, unless told otherwise. */
final class MariaDb
{
    /**
     * @param array<int, int> $options    of mysqli_options()
     * @param bool            $persistent one that outlives the request
     * @param int             $flags      of mysqli_real_connect()
     * @param string|null     $port       another one than the server's
     */
    public static function connect(array $options = [], bool $persistent = false, int $flags = 0, ?string $port = null): mysqli
    {
        $settings = Settings::of('MariaDb');
        $mysqli = new mysqli();
        foreach ($options as $option => $value) {
            $mysqli->options($option, $value);
        }
        if (($flags & MYSQLI_CLIENT_SSL) !== 0) {
            $mysqli->ssl_set(null, null, $settings['certificate'], null, null);
        }
        $host = ($persistent ? 'p:' : '') . $settings['host'];
        $mysqli->real_connect($host, 'php', 'secret', 'test', (int) ($port ?? $settings['port']), null, $flags);

        return $mysqli;
    }

    /**
     * @param array<int, mixed>     $options    of PDO
     * @param array<string, string> $parameters others instead of the usual ones
     */
    public static function pdo(array $options = [], array $parameters = []): PDO
    {
        $settings = Settings::of('MariaDb');
        $parameters += ['host' => $settings['host'], 'port' => $settings['port'], 'dbname' => 'test'];
        $parts = array_map(static fn (string $name): string => "$name={$parameters[$name]}", array_keys($parameters));

        return new PDO('mysql:' . implode(';', $parts), 'php', 'secret', $options);
    }

    /** A statement that the server ends when it takes longer. */
    public static function limited(float $seconds, string $statement): string
    {
        return "SET STATEMENT max_statement_time=$seconds FOR $statement";
    }
}
