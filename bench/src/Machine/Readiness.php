<?php

declare(strict_types=1);

namespace Howdah\Bench\Machine;

/** What would spoil the figures, and is known before the first of them. */
final readonly class Readiness
{
    /** Suites have two thousand connections at most, and a server some files for each worker. */
    private const DESCRIPTORS = 2_500;

    /** A connection that was closed keeps its port for a minute. */
    private const PORTS = 10_000;

    /** Of all cores, by others, while we do nothing. */
    private const BUSY = 0.2;

    private const WATCHED_MICROSECONDS = 500_000;

    /** @return list<string> */
    public static function warnings(): array
    {
        $before = [Processes::machineSeconds(), hrtime(true)];
        usleep(self::WATCHED_MICROSECONDS);
        $used = (Processes::machineSeconds() - $before[0]) / ((hrtime(true) - $before[1]) / 1e9);
        /** @var array{'soft openfiles': int|string} $limits */
        $limits = posix_getrlimit() ?: ['soft openfiles' => 'unknown'];
        $range = preg_split('/\s+/', trim((string) @file_get_contents('/proc/sys/net/ipv4/ip_local_port_range'))) ?: [];

        return self::judge(
            $used,
            sys_getloadavg()[0] ?? 0.0,
            Machine::cores(),
            is_int($limits['soft openfiles']) ? $limits['soft openfiles'] : PHP_INT_MAX,
            count($range) === 2 ? (int) $range[1] - (int) $range[0] + 1 : PHP_INT_MAX,
        );
    }

    /**
     * @param float $used cores that others use now
     *
     * @return list<string>
     */
    public static function judge(float $used, float $load, int $cores, int $descriptors, int $ports): array
    {
        $warnings = [];
        if ($used > self::BUSY * $cores) {
            $warnings[] = sprintf('this machine is busy: other programs use %.1f of %d cores', $used, $cores);
        }
        if ($load > $cores) {
            $warnings[] = sprintf('the load average is %.1f on %d cores: wait until it is below', $load, $cores);
        }
        if ($cores < 2) {
            $warnings[] = 'there is one core: the load generator takes its share of it from the servers';
        }
        if ($descriptors < self::DESCRIPTORS) {
            $warnings[] = "$descriptors descriptors are allowed (ulimit -n): suites with a thousand connections and more need "
                . self::DESCRIPTORS;
        }
        if ($ports < self::PORTS) {
            $warnings[] = "$ports local ports (net.ipv4.ip_local_port_range) may be too few";
        }

        return $warnings;
    }
}
