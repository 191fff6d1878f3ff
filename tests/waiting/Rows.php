<?php

declare(strict_types=1);

namespace Howdah\WaitingTests;

use Howdah\WaitingTests\Component\Ftp;
use Howdah\WaitingTests\Component\Full;
use Howdah\WaitingTests\Component\Holder;
use Howdah\WaitingTests\Component\Imap;
use Howdah\WaitingTests\Component\Late;
use Howdah\WaitingTests\Component\Ldap;
use Howdah\WaitingTests\Component\MariaDb;
use Howdah\WaitingTests\Component\Memcached;
use Howdah\WaitingTests\Component\Mongo;
use Howdah\WaitingTests\Component\Postgres;
use Howdah\WaitingTests\Component\RabbitMq;
use Howdah\WaitingTests\Component\Redis;
use Howdah\WaitingTests\Component\SlowDns;
use Howdah\WaitingTests\Component\SlowNginx;
use Howdah\WaitingTests\Component\SlowPeer;
use Howdah\WaitingTests\Component\Snmp;

/** The ways to wait that are tested: app/rows/NAME.php, and the components that it needs. */
final class Rows
{
    /** @var array<string, list<class-string<Component>>> in the order of the alphabet, one a line */
    private const ROWS = [
        'amphp-delay' => [],
        'amphp-socket' => [SlowPeer::class],
        'amqp-confirm' => [RabbitMq::class],
        'amqp-connect' => [Full::class],
        'amqp-consume' => [RabbitMq::class],
        'amqp-rpc' => [RabbitMq::class],
        'callbacks' => [],
        'curl-callbacks' => [SlowPeer::class],
        'curl-connect' => [SlowPeer::class],
        'curl-easy' => [SlowPeer::class],
        'curl-http2' => [SlowNginx::class, SlowPeer::class],
        'curl-https' => [SlowNginx::class, SlowPeer::class],
        'curl-multi' => [SlowPeer::class],
        'curl-resolve' => [SlowDns::class, SlowPeer::class],
        'destructor' => [],
        'dns-addrinfo' => [SlowDns::class],
        'dns-checkdnsrr' => [SlowDns::class],
        'dns-fsockopen' => [SlowDns::class, SlowPeer::class],
        'dns-get-record' => [SlowDns::class],
        'dns-gethostbyaddr' => [SlowDns::class],
        'dns-gethostbyname' => [SlowDns::class],
        'dns-gethostbynamel' => [SlowDns::class],
        'doctrine-dbal' => [Postgres::class],
        'doctrine-orm' => [Postgres::class],
        'exec' => [],
        'exec-end' => [],
        'fcntl' => [Holder::class],
        'fiber' => [SlowPeer::class],
        'flock' => [Holder::class],
        'flock-shared' => [Holder::class],
        'ftp-get' => [Ftp::class],
        'generator' => [],
        'grpc-queue' => [Late::class],
        'guzzle-pool' => [SlowPeer::class],
        'guzzle-stream' => [SlowPeer::class],
        'http-default-timeout' => [SlowPeer::class],
        'http-get' => [SlowPeer::class],
        'https-get' => [SlowNginx::class, SlowPeer::class],
        'imap-connect' => [Imap::class, Late::class],
        'imap-search' => [Imap::class],
        'imap-tls' => [Imap::class, Late::class],
        'kafka-poll' => [],
        'ldap-connect' => [Late::class, Ldap::class],
        'ldap-search' => [Ldap::class],
        'mail' => [],
        'memcached-connect' => [Full::class],
        'memcached-get' => [Memcached::class],
        'memcached-multi' => [Memcached::class],
        'mongodb-command' => [Mongo::class],
        'mongodb-select' => [Late::class],
        'msg-receive' => [Holder::class],
        'mysqli-async' => [MariaDb::class],
        'mysqli-connect' => [Late::class, MariaDb::class],
        'mysqli-greeting' => [Late::class, MariaDb::class],
        'mysqli-lock' => [MariaDb::class],
        'mysqli-multi' => [MariaDb::class],
        'mysqli-persistent' => [MariaDb::class],
        'mysqli-prepared' => [MariaDb::class],
        'mysqli-query' => [MariaDb::class],
        'mysqli-read-timeout' => [MariaDb::class],
        'mysqli-socket' => [MariaDb::class],
        'mysqli-tls' => [MariaDb::class],
        'mysqli-unbuffered' => [MariaDb::class],
        'odbc-query' => [Postgres::class],
        'output-callback' => [],
        'passthru' => [],
        'pclose' => [],
        'pdo-dblib-connect' => [Late::class],
        'pdo-mysql-connect' => [Late::class, MariaDb::class],
        'pdo-mysql-local-infile' => [MariaDb::class],
        'pdo-mysql-persistent' => [MariaDb::class],
        'pdo-mysql-prepared' => [MariaDb::class],
        'pdo-mysql-query' => [MariaDb::class],
        'pdo-mysql-tls' => [MariaDb::class],
        'pdo-mysql-unbuffered' => [MariaDb::class],
        'pdo-odbc-query' => [Postgres::class],
        'pdo-pgsql-connect' => [Late::class, Postgres::class],
        'pdo-pgsql-copy' => [Postgres::class],
        'pdo-pgsql-notify' => [Postgres::class],
        'pdo-pgsql-persistent' => [Postgres::class],
        'pdo-pgsql-prepared' => [Postgres::class],
        'pdo-pgsql-query' => [Postgres::class],
        'pdo-pgsql-tls' => [Postgres::class],
        'pdo-sqlite-busy' => [Holder::class],
        'pgsql-async' => [Postgres::class],
        'pgsql-connect' => [Late::class, Postgres::class],
        'pgsql-connect-async' => [Late::class, Postgres::class],
        'pgsql-copy-from' => [Postgres::class],
        'pgsql-copy-to' => [Postgres::class],
        'pgsql-lock' => [Postgres::class],
        'pgsql-notify' => [Postgres::class],
        'pgsql-persistent' => [Postgres::class],
        'pgsql-prepared' => [Postgres::class],
        'pgsql-put-line' => [Postgres::class],
        'pgsql-query' => [Postgres::class],
        'pgsql-select' => [Postgres::class],
        'pgsql-tls' => [Postgres::class],
        'popen-read' => [],
        'popen-write' => [],
        'proc-close' => [],
        'proc-get-status' => [],
        'proc-open' => [],
        'proc-select' => [],
        'proc-signalled' => [],
        'redis-blpop' => [Redis::class],
        'redis-connect' => [Full::class],
        'redis-pconnect' => [Redis::class],
        'redis-pipeline' => [Redis::class],
        'redis-subscribe' => [Redis::class],
        'redis-unix' => [Redis::class],
        'revolt' => [SlowPeer::class],
        'sem-acquire' => [Holder::class],
        'session' => [Holder::class],
        'shell-exec' => [],
        'sleep' => [],
        'snmp-get' => [Snmp::class],
        'soap-call' => [SlowPeer::class],
        'socket-accept' => [SlowPeer::class],
        'socket-connect' => [SlowPeer::class],
        'socket-read' => [SlowPeer::class],
        'socket-recv' => [SlowPeer::class],
        'socket-recv-all' => [SlowPeer::class],
        'socket-recvfrom' => [SlowPeer::class],
        'socket-recvmsg' => [SlowPeer::class],
        'socket-select' => [SlowPeer::class],
        'socket-write' => [SlowPeer::class],
        'sqlite3-busy' => [Holder::class],
        'stream-accept' => [SlowPeer::class],
        'stream-connect' => [SlowPeer::class],
        'stream-fread' => [SlowPeer::class],
        'stream-fwrite' => [SlowPeer::class],
        'stream-pair' => [],
        'stream-select' => [SlowPeer::class],
        'stream-ssl' => [SlowPeer::class],
        'stream-tcp' => [SlowPeer::class],
        'stream-unix' => [SlowPeer::class],
        'symfony-http-client' => [SlowNginx::class, SlowPeer::class],
        'symfony-http-native' => [SlowPeer::class],
        'system' => [],
        'usleep' => [],
    ];

    /** @return list<string> */
    public static function names(): array
    {
        $exists = static fn (string $name): bool => Extensions::hasImap() || !str_starts_with($name, 'imap-');

        return array_values(array_filter(array_keys(self::ROWS), $exists));
    }

    /** Whether all that a row needs runs. */
    public static function isPrepared(string $row): bool
    {
        return Components::run(...self::ROWS[$row]);
    }

    /** Starts what a row needs. */
    public static function prepare(string $row): void
    {
        Components::folder();
        Components::need(...self::ROWS[$row]);
    }
}
