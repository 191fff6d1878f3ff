<?php

declare(strict_types=1);

namespace Howdah\Cli\Tests;

use Howdah\Cli\Doctor\Kernel;

final class KernelTest extends CliTestCase
{
    private const GB = 1024 ** 3;

    public function test_it_reads_this_machine(): void
    {
        $kernel = new Kernel();

        self::assertGreaterThan(1000, $kernel->maps());
        self::assertGreaterThan(1024 ** 2, $kernel->available());
    }

    public function test_a_kernel_that_tells_nothing_limits_nothing(): void
    {
        $kernel = $this->kernel([]);

        self::assertNull($kernel->maps());
        self::assertNull($kernel->addressSpace());
        self::assertNull($kernel->promises());
        self::assertNull($kernel->available());
        self::assertNull($kernel->hugePages());
    }

    public function test_limits_are_read(): void
    {
        $kernel = $this->kernel([
            'proc/sys/vm/max_map_count' => "65530\n",
            'proc/self/limits' => "Limit                     Soft Limit           Hard Limit           Units     \n"
                . "Max address space         614400000            unlimited            bytes     \n",
            'sys/kernel/mm/transparent_hugepage/enabled' => "always [madvise] never\n",
        ]);

        self::assertSame(65530, $kernel->maps());
        self::assertSame(614400000, $kernel->addressSpace());
        self::assertSame('madvise', $kernel->hugePages());
    }

    public function test_promises_are_limited_only_where_the_kernel_counts_them(): void
    {
        $memory = "MemAvailable:    8388608 kB\nCommitLimit:     4194304 kB\nCommitted_AS:    1048576 kB\n";

        $files = ['proc/meminfo' => $memory, 'proc/sys/vm/overcommit_memory' => "0\n"];
        self::assertNull($this->kernel($files)->promises());
        $files['proc/sys/vm/overcommit_memory'] = "2\n";
        self::assertSame(3 * self::GB, $this->kernel($files)->promises());
    }

    public function test_memory_is_that_of_the_container_or_one_above_it_where_that_is_less(): void
    {
        $files = ['proc/meminfo' => "MemAvailable:    8388608 kB\n", 'proc/self/cgroup' => "0::/outer/inner\n"];
        self::assertSame(8 * self::GB, $this->kernel($files)->available());
        $files += [
            'sys/fs/cgroup/outer/memory.max' => 3 * self::GB . "\n",
            'sys/fs/cgroup/outer/memory.current' => 2 * self::GB . "\n",
            'sys/fs/cgroup/outer/memory.stat' => "anon 1\ninactive_file " . self::GB / 2 . "\n",
            'sys/fs/cgroup/outer/inner/memory.max' => "max\n",
            'sys/fs/cgroup/outer/inner/memory.current' => "1\n",
        ];
        self::assertSame(intdiv(3 * self::GB, 2), $this->kernel($files)->available());
    }

    /** @param array<string, string> $files */
    private function kernel(array $files): Kernel
    {
        return new Kernel($this->project($files));
    }
}
