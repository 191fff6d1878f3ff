<?php

declare(strict_types=1);

namespace Howdah\Laravel;

/** What the options of octane:start are for `howdah serve`. Knows nothing of Laravel. */
final readonly class ServeArguments
{
    /** Options of octane:start that other servers have, and what is to be said where one is used. */
    private const OTHERS = [
        'admin-port' => 'Howdah has no admin server: octane:status, :reload and :stop do that',
        'caddyfile' => "nginx has no Caddyfile: `howdah config` prints what there is instead",
        'http-redirect' => 'put a second server before it',
        'log-level' => 'howdah serve logs requests and errors',
        'rpc-host' => 'it is for RoadRunner',
        'rpc-port' => 'it is for RoadRunner',
        'rr-config' => 'it is for RoadRunner',
    ];

    /** @param array<string, mixed> $options of octane:start, by name */
    public function __construct(private array $options)
    {
    }

    /**
     * @param  string       $project    as the user sees it: the way to it may have symbolic links, which a deployment switches
     * @param  list<string> $more       options of `howdah serve` from the configuration, which come last and so win
     * @param  int          $processors that may be used: requests at once are shared out over so many workers
     * @return list<string>
     */
    public function toList(string $project, string $host, string $port, int $processors, array $more): array
    {
        $listen = str_contains($host, ':') && $host[0] !== '[' ? "[$host]:$port" : "$host:$port";
        $watch = $this->isOn('poll') ? '--watch=poll' : '--watch';

        return [
            $project,
            "--listen=$listen",
            '--mode=worker',
            ...$this->workers($processors),
            "--max-requests={$this->number('max-requests', 500)}",
            ...($this->isOn('watch') ? [$watch] : []),
            ...($this->isOn('https') ? ['--tls'] : []),
            ...$more,
        ];
    }

    /**
     * Octane's workers are requests at once. Howdah has realms for them, in worker processes of which one for each processor is
     * enough: as many of both as make that number, or the next higher one.
     *
     * @return list<string>
     */
    private function workers(int $processors): array
    {
        $atOnce = $this->options['workers'] ?? 'auto';
        if ($atOnce === 'auto') {
            return [];
        }
        $atOnce = $this->number('workers', 1);
        if ($atOnce === 0) {
            throw new HowdahFailure('--workers=0 serves nothing: give a number of requests at once, or auto');
        }
        $workers = min($atOnce, max(1, $processors));

        return ["--workers=$workers", '--concurrency=' . intdiv($atOnce + $workers - 1, $workers)];
    }

    /** @return list<string> what the user is to be told */
    public function ignored(): array
    {
        $told = [];
        foreach (self::OTHERS as $name => $instead) {
            if ($this->isOn($name)) {
                $told[] = "--$name does nothing with --server=howdah: $instead";
            }
        }
        if (($this->options['task-workers'] ?? 'auto') !== 'auto') {
            $told[] = '--task-workers does nothing with --server=howdah: it is for Swoole';
        }

        return $told;
    }

    /** @return array<string, string> options of `howdah serve` that not every version has, by those of octane:start */
    public function needed(): array
    {
        return ($this->isOn('watch') ? ['watch' => '--watch'] : []) + ($this->isOn('https') ? ['https' => '--tls'] : []);
    }

    private function isOn(string $name): bool
    {
        return !in_array($this->options[$name] ?? null, [null, false, '', '0'], true);
    }

    private function number(string $name, int $default): int
    {
        $value = $this->options[$name] ?? $default;
        if (!is_scalar($value) || preg_match('/^\d{1,9}$/D', (string) $value) !== 1) {
            $value = is_scalar($value) ? (string) $value : get_debug_type($value);
            throw new HowdahFailure("--$name=$value is no whole number: give one, as in --$name=" . ($default ?: 1));
        }

        return (int) $value;
    }
}
