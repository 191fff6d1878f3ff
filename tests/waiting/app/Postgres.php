<?php

declare(strict_types=1);

namespace Howdah\WaitingTests\App;

use PDO;
use PgSql\Connection;
use RuntimeException;

/** Connections to Component\Postgres: by TCP without TLS, unless told otherwise. */
final class Postgres
{
    /**
     * libpq's connection string.
     *
     * @param array<string, string> $parameters more of libpq's, or others instead of the usual ones
     */
    public static function parameters(array $parameters = []): string
    {
        $settings = Settings::of('Postgres');
        $parameters += [
            'host' => $settings['host'],
            'port' => $settings['port'],
            'user' => 'postgres',
            'dbname' => 'postgres',
            'sslmode' => 'disable',
        ];

        return implode(' ', array_map(
            static fn (string $name): string => "$name='{$parameters[$name]}'",
            array_keys($parameters),
        ));
    }

    /** @param array<string, string> $parameters as above */
    public static function connect(array $parameters = []): Connection
    {
        $connection = pg_connect(self::parameters($parameters), PGSQL_CONNECT_FORCE_NEW);

        return $connection ?: throw new RuntimeException('no connection to PostgreSQL');
    }

    /**
     * @param array<string, string> $parameters as above
     * @param array<int, mixed>     $options    of PDO
     */
    public static function pdo(array $parameters = [], array $options = []): PDO
    {
        return new PDO('pgsql:' . self::parameters($parameters), null, null, $options);
    }

    /** @return array<string, string> for $parameters: the server ends what takes longer */
    public static function timeout(float $seconds): array
    {
        return ['options' => '-c statement_timeout=' . (int) ($seconds * 1000)];
    }

    /** @return array<string, string> for $parameters: through TLS, with a look at the certificate */
    public static function tls(): array
    {
        $certificate = Settings::of('Postgres')['certificate'];

        return ['host' => 'localhost', 'hostaddr' => '127.0.0.1', 'sslmode' => 'verify-full', 'sslrootcert' => $certificate];
    }

    /** stream_select() until the connection can be read (or written), at most that long. */
    public static function select(Connection $connection, float $seconds, bool $writes = false): int|false
    {
        $none = $otherwise = [];
        $ready = [pg_socket($connection) ?: throw new RuntimeException('not connected')];
        $microseconds = (int) (fmod($seconds, 1) * 1_000_000);

        return $writes
            ? stream_select($otherwise, $ready, $none, (int) $seconds, $microseconds)
            : stream_select($ready, $otherwise, $none, (int) $seconds, $microseconds);
    }

    /** SQL for a temporary table `slow` whose insertions sleep, each one or those that fulfil a condition. */
    public static function slowTable(float $seconds, string $condition = 'true'): string
    {
        return "CREATE TEMPORARY TABLE slow (number int, word text);
            CREATE TRIGGER sleep BEFORE INSERT ON slow FOR EACH ROW WHEN ($condition) EXECUTE FUNCTION sleep('$seconds')";
    }
}
