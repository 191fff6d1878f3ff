<?php

declare(strict_types=1);

namespace Howdah\Cli;

/**
 * How many processors this process may keep busy: those that it may run on, and no more than a control group allows.
 *
 * Sources: nproc(1) for the first; cpu.max of cgroup v2 and cpu.cfs_quota_us of v1 for the second, of this group and of all
 * above.
 */
final readonly class Processors
{
    /** @param string $root of the file system, for tests */
    public function __construct(private string $root = '')
    {
    }

    public function count(): int
    {
        $there = max(1, (int) shell_exec('nproc 2>/dev/null'));
        $quota = $this->quota();

        // Half a processor more than whole ones is worth a worker: rounded up.
        return $quota === null ? $there : max(1, min($there, (int) ceil($quota)));
    }

    /** In processors; null: no limit is known. */
    public function quota(): ?float
    {
        $quotas = [];
        foreach (explode("\n", $this->read('proc/self/cgroup') ?? '') as $line) {
            [, $controllers, $path] = [...explode(':', $line, 3), '', ''];
            $folder = $controllers === '' ? 'sys/fs/cgroup' : "sys/fs/cgroup/$controllers";
            if ($controllers !== '' && !in_array('cpu', explode(',', $controllers), true)) {
                continue;
            }
            for ($group = rtrim($path, '/');; $group = dirname($group)) {
                $quotas[] = $this->ofGroup($folder . rtrim($group, '/.'));
                if (in_array($group, ['', '/', '.'], true)) {
                    break;
                }
            }
        }
        $quotas = array_filter($quotas, static fn (?float $quota): bool => $quota !== null);

        return $quotas === [] ? null : min($quotas);
    }

    private function ofGroup(string $folder): ?float
    {
        [$quota, $period] = [...preg_split('/\s+/', trim($this->read("$folder/cpu.max") ?? '')) ?: [], '', ''];
        if ($quota === '') {
            $quota = trim($this->read("$folder/cpu.cfs_quota_us") ?? '');
            $period = trim($this->read("$folder/cpu.cfs_period_us") ?? '');
        }

        return (int) $quota > 0 && (int) $period > 0 ? (int) $quota / (int) $period : null;
    }

    private function read(string $path): ?string
    {
        $text = @file_get_contents("{$this->root}/$path");

        return $text === false ? null : $text;
    }
}
