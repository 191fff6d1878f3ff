<?php

declare(strict_types=1);

namespace Howdah\Cli\Tests;

use Howdah\Cli\Processors;
use PHPUnit\Framework\Attributes\DataProvider;

final class ProcessorsTest extends CliTestCase
{
    /** @return iterable<string, array{array<string, string>, float|null}> */
    public static function controlGroups(): iterable
    {
        yield 'no control groups' => [[], null];
        $two = ['proc/self/cgroup' => "0::/outer/inner\n"];
        yield 'no limit' => [$two + ['sys/fs/cgroup/outer/inner/cpu.max' => "max 100000\n"], null];
        yield 'its own' => [$two + ['sys/fs/cgroup/outer/inner/cpu.max' => "150000 100000\n"], 1.5];
        yield 'the lower one of an outer group' => [$two + [
            'sys/fs/cgroup/outer/inner/cpu.max' => "400000 100000\n",
            'sys/fs/cgroup/outer/cpu.max' => "50000 100000\n",
        ], 0.5];
        yield 'in a container, where the group is the root' => [
            ['proc/self/cgroup' => "0::/\n", 'sys/fs/cgroup/cpu.max' => "200000 100000\n"], 2.0,
        ];
        $one = ['proc/self/cgroup' => "4:memory:/a\n3:cpu,cpuacct:/a\n",
            'sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_period_us' => "100000\n"];
        yield 'version 1' => [$one + ['sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_quota_us' => "300000\n"], 3.0];
        yield 'version 1, no limit' => [$one + ['sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_quota_us' => "-1\n"], null];
    }

    /** @param array<string, string> $files */
    #[DataProvider('controlGroups')]
    public function test_a_control_group_pays_for_so_many(array $files, ?float $quota): void
    {
        $processors = new Processors($this->project($files));

        self::assertSame($quota, $processors->quota());
        $there = (int) shell_exec('nproc');
        self::assertSame($quota === null ? $there : max(1, min($there, (int) ceil($quota))), $processors->count());
    }
}
