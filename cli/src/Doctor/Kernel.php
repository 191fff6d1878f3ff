<?php

declare(strict_types=1);

namespace Howdah\Cli\Doctor;

/** What the kernel allows this process: from /proc and /sys. Null is: it does not tell, or there is no limit. */
final readonly class Kernel
{
    /** @param string $root where /proc and /sys are */
    public function __construct(private string $root = '')
    {
    }

    /** Memory maps that one process may have. */
    public function maps(): ?int
    {
        return $this->number('/proc/sys/vm/max_map_count');
    }

    /** Bytes of address space that one process may have (`ulimit -v`). */
    public function addressSpace(): ?int
    {
        return preg_match('/^Max address space +(?<soft>\d+)/m', $this->text('/proc/self/limits'), $match) === 1
            ? (int) $match['soft']
            : null;
    }

    /** Bytes that may still be promised to processes, where the kernel promises no more than it has (vm.overcommit_memory=2). */
    public function promises(): ?int
    {
        if ($this->number('/proc/sys/vm/overcommit_memory') !== 2) {
            return null;
        }
        $limit = $this->memory('CommitLimit');
        $promised = $this->memory('Committed_AS');

        return $limit === null || $promised === null ? null : max(0, $limit - $promised);
    }

    /** Bytes of memory that are left, for the machine or for the container, whichever is less. */
    public function available(): ?int
    {
        $left = [$this->memory('MemAvailable')];
        foreach ($this->controlGroups() as $folder) {
            $limit = $this->number("$folder/memory.max");
            $used = $this->number("$folder/memory.current");
            $left[] = $limit === null || $used === null ? null : max(0, $limit - $used + $this->reclaimable($folder));
        }
        $known = array_filter($left, is_int(...));

        return $known === [] ? null : min($known);
    }

    /** always, madvise or never. */
    public function hugePages(): ?string
    {
        $text = $this->text('/sys/kernel/mm/transparent_hugepage/enabled');

        return preg_match('/\[(?<chosen>\w+)\]/', $text, $match) === 1 ? $match['chosen'] : null;
    }

    /**
     * Ours and those above it, each of which may have a limit.
     *
     * @return list<string>
     */
    private function controlGroups(): array
    {
        if (preg_match('~^0::(?<path>/.*)$~m', $this->text('/proc/self/cgroup'), $match) !== 1) {
            return [];
        }
        $folders = [];
        for ($path = $match['path']; strlen($path) > 1; $path = dirname($path)) {
            $folders[] = "/sys/fs/cgroup$path";
        }

        return [...$folders, '/sys/fs/cgroup'];
    }

    /** What files take in a control group can be had back. */
    private function reclaimable(string $folder): int
    {
        return preg_match('/^inactive_file (\d+)/m', $this->text("$folder/memory.stat"), $match) === 1 ? (int) $match[1] : 0;
    }

    private function memory(string $name): ?int
    {
        return preg_match("/^$name: +(?<kb>\\d+) kB/m", $this->text('/proc/meminfo'), $match) === 1
            ? (int) $match['kb'] * 1024
            : null;
    }

    private function number(string $path): ?int
    {
        $text = trim($this->text($path));

        return ctype_digit($text) ? (int) $text : null;
    }

    private function text(string $path): string
    {
        return (string) @file_get_contents($this->root . $path);
    }
}
