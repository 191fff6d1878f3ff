<?php

declare(strict_types=1);

namespace Howdah\HttpTests;

/** A server for the application in pool/, and what its worker has. */
abstract class PoolTestCase extends HttpTestCase
{
    protected const APP = __DIR__ . '/pool';

    protected static function options(string $mode): array
    {
        $script = $mode === 'worker' ? '--worker-script=' . static::APP . '/worker.php' : '--mode=classic';

        return ['--workers=1', '--ini=display_errors=0', '--ini=memory_limit=1G', '--no-access-log', $script];
    }

    /** Private memory of the worker, in megabytes: what shared memory and code cost is not counted. */
    protected static function megabytes(Server $server): float
    {
        $status = (string) file_get_contents("/proc/{$server->workers()[0]}/status");
        self::assertSame(1, sscanf(strstr($status, 'RssAnon:') ?: '', 'RssAnon: %d kB', $kilobytes), $status);

        return (int) $kilobytes / 1024;
    }

    /** @return array<mixed> what the pool counts */
    protected static function pool(Server $server): array
    {
        return $server->client->get('/status')->json();
    }

    protected static function counted(Server $server, string $name): int
    {
        $value = self::pool($server)[$name] ?? null;
        self::assertIsInt($value);

        return $value;
    }

    protected static function deaths(Server $server, string $reason): int
    {
        $deaths = self::pool($server)['deaths_by'] ?? null;
        self::assertIsArray($deaths);
        self::assertIsInt($deaths[$reason] ?? null);

        return $deaths[$reason];
    }
}
