<?php

declare(strict_types=1);

namespace Howdah\HttpTests;

use PHPUnit\Framework\Attributes\DataProvider;

/** What a request may not do to its worker, which is everybody's. */
final class PrivilegeTest extends DeathTestCase
{
    #[DataProvider('modes')]
    public function test_no_request_changes_the_worker_for_others(string $mode): void
    {
        $server = $this->server($mode);
        $worker = $server->workers()[0];
        $before = self::traits($worker);

        $results = $server->client->get('/worker')->json();

        self::assertSame(['16', (string) (5 + $before['nice'])], $results['child']);
        self::assertTrue($results['to itself']);
        self::assertSame(
            ['chroot', 'dl', 'cli_set_process_title', 'pcntl_signal', 'pcntl_fork', 'pcntl_exec', 'pcntl_setpriority'],
            $results['missing'],
        );
        self::assertSame(1, $results['errno'], 'EPERM');
        unset($results['child'], $results['to itself'], $results['missing'], $results['errno']);
        $results['posix_setsid'] = $results['posix_setsid'] !== -1;
        self::assertSame(array_fill_keys(array_keys($results), false), $results);
        self::assertSame($before, self::traits($worker));
    }

    /** @return array{owner: list<string>, limits: string, 'group and session': list<string>, nice: int} */
    private static function traits(int $pid): array
    {
        $fields = explode(' ', (string) file_get_contents("/proc/$pid/stat"));
        preg_match_all('/^(?:Uid|Gid|Groups):.*$/m', (string) file_get_contents("/proc/$pid/status"), $owner);

        return [
            'owner' => $owner[0],
            'limits' => (string) file_get_contents("/proc/$pid/limits"),
            'group and session' => array_slice($fields, 4, 2),
            'nice' => (int) $fields[18],
        ];
    }
}
