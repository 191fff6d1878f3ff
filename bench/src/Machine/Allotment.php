<?php

declare(strict_types=1);

namespace Howdah\Bench\Machine;

use Closure;
use Howdah\Cli\Failure;

/**
 * What of the machine each server is given, by control groups (Linux, Documentation/admin-guide/cgroup-v1, cgroup-v2.rst): the
 * same for one process or a hundred. Load generators, databases and we ourselves are not in it.
 */
final class Allotment
{
    private const ROOT = '/sys/fs/cgroup';
    private const UNITS = ['' => 1, 'K' => 1 << 10, 'M' => 1 << 20, 'G' => 1 << 30];

    private static int $number = 0;

    /** @var array<string, string> where we are put while something is started, and where we come from: both cgroup.procs */
    private array $ways = [];

    /** @var list<string> folders that were made */
    private array $groups = [];

    private function __construct()
    {
    }

    /** The processors that a server with so many does not have, as taskset(1) wants them; '' where none is left. */
    public static function rest(int $processors): string
    {
        return implode(',', array_slice(self::allowed(), 0, -$processors));
    }

    /** How many of them we may use. */
    public static function processors(): int
    {
        return count(self::allowed());
    }

    /**
     * @param int|null    $processors how many, of those that there are (processors()); null: all
     * @param string|null $memory     1G, 512M; null: all. Who needs more is killed by the kernel
     */
    public static function of(?int $processors, ?string $memory): self
    {
        // The last ones: interrupts are in general the first one's.
        $chosen = $processors === null ? null : implode(',', array_slice(self::allowed(), -$processors));
        $bytes = $memory === null ? null : self::bytes($memory);
        $self = new self();
        try {
            is_file(self::ROOT . '/cgroup.controllers') ? $self->unified($chosen, $bytes) : $self->separate($chosen, $bytes);
        } catch (Failure $failure) {
            $self->end();
            throw $failure;
        }

        return $self;
    }

    /**
     * Calls it; what it starts, and their children, are given this.
     *
     * @template T
     * @param  Closure(): T $start
     * @return T
     */
    public function inside(Closure $start): mixed
    {
        try {
            foreach (array_keys($this->ways) as $in) {
                self::write($in, (string) getmypid());
            }

            return $start();
        } finally {
            foreach ($this->ways as $back) {
                self::write($back, (string) getmypid());
            }
        }
    }

    /** When all that was started has ended. */
    public function end(): void
    {
        while (($group = array_pop($this->groups)) !== null) {
            // A process that was killed a moment ago is in it until its parent has been told.
            for ($tries = 0; is_dir($group) && !@rmdir($group) && $tries < 50; $tries++) {
                usleep(20_000);
            }
        }
        $this->ways = [];
    }

    private function unified(?string $processors, ?int $bytes): void
    {
        $needed = implode(' ', array_filter([$processors === null ? '' : '+cpuset', $bytes === null ? '' : '+memory']));
        if ($needed === '') {
            return;
        }
        self::write(self::ROOT . '/cgroup.subtree_control', $needed);
        $settings = ['cpuset.cpus' => $processors, 'memory.max' => $bytes, 'memory.swap.max' => $bytes === null ? null : 0];
        $this->make(self::ROOT, self::path(''), $settings);
    }

    private function separate(?string $processors, ?int $bytes): void
    {
        if ($processors !== null) {
            $nodes = trim((string) @file_get_contents(self::ROOT . '/cpuset/cpuset.mems'));
            $this->make(self::ROOT . '/cpuset', self::path('cpuset'), ['cpuset.cpus' => $processors, 'cpuset.mems' => $nodes]);
        }
        if ($bytes !== null) {
            $settings = ['memory.limit_in_bytes' => $bytes, 'memory.memsw.limit_in_bytes' => $bytes];
            $this->make(self::ROOT . '/memory', self::path('memory'), $settings);
        }
    }

    /** @param array<string, int|string|null> $settings files and what to write to them; null: nothing */
    private function make(string $hierarchy, string $ours, array $settings): void
    {
        $group = "$hierarchy/howdah-bench-" . getmypid() . '-' . ++self::$number;
        if (!@mkdir($group)) {
            throw new Failure("each server cannot be given a part of this machine: no control group can be made in $hierarchy"
                . ' (as root, and not in a container?); leave --cpus and --memory out');
        }
        $this->groups[] = $group;
        foreach ($settings as $file => $value) {
            // Swap is not counted everywhere.
            if ($value !== null && (!str_contains($file, 'sw') || is_file("$group/$file"))) {
                self::write("$group/$file", (string) $value);
            }
        }
        $this->ways["$group/cgroup.procs"] = rtrim($hierarchy . $ours, '/') . '/cgroup.procs';
    }

    /** Our group in a hierarchy; '' is the unified one. */
    private static function path(string $controller): string
    {
        foreach (file('/proc/self/cgroup', FILE_IGNORE_NEW_LINES) ?: [] as $line) {
            [, $controllers, $path] = explode(':', $line, 3) + ['', '', '/'];
            if (in_array($controller, explode(',', $controllers), true)) {
                return $path;
            }
        }

        return '/';
    }

    private static function write(string $file, string $value): void
    {
        if (@file_put_contents($file, $value) === false) {
            $reason = error_get_last()['message'] ?? 'no reason is known';
            throw new Failure("each server cannot be given a part of this machine: $file does not take '$value': $reason;"
                . ' leave --cpus and --memory out');
        }
    }

    /** @return list<int> the processors that we may use */
    private static function allowed(): array
    {
        preg_match('/^Cpus_allowed_list:\s*(\S+)$/m', (string) @file_get_contents('/proc/self/status'), $match);
        $allowed = [];
        foreach (explode(',', $match[1] ?? '0') as $range) {
            [$first, $last] = explode('-', $range) + [1 => null];
            $allowed = [...$allowed, ...range((int) $first, (int) ($last ?? $first))];
        }

        return $allowed;
    }

    private static function bytes(string $memory): int
    {
        if (preg_match('/^([1-9]\d*)([KMG]?)$/iD', $memory, $match) !== 1) {
            throw new Failure("--memory=$memory: a size is wanted, as 1G or 512M");
        }

        return (int) $match[1] * self::UNITS[strtoupper($match[2])];
    }
}
