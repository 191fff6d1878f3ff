<?php

declare(strict_types=1);

namespace Howdah\Bench\Machine;

use Howdah\Cli\Program;

/** Where and with what the figures were made: without it they mean little. */
final readonly class Machine
{
    /** @param array<string, string> $facts */
    private function __construct(public array $facts)
    {
    }

    public static function describe(string $root, Tools $tools): self
    {
        $load = sys_getloadavg() ?: [0.0, 0.0, 0.0];

        return new self([
            'date' => gmdate('Y-m-d H:i') . ' UTC',
            'processor' => self::find('/^model name\s*:\s*(.+)$/m', '/proc/cpuinfo') . ', ' . self::cores() . ' cores',
            'cores given' => trim(Program::run(['nproc'])->output),
            'memory' => self::find('/^MemTotal:\s+(\d+ kB)$/m', '/proc/meminfo'),
            'kernel' => php_uname('s') . ' ' . php_uname('r'),
            'system' => self::find('/^PRETTY_NAME="?([^"\n]+)/m', '/etc/os-release'),
            'load average at start' => implode(' ', array_map(fn (float $one) => sprintf('%.2f', $one), $load)),
            'howdah' => self::commit($root),
            'nginx' => $tools->nginx->version,
            'PHP' => "{$tools->php->version} (libphp; {$tools->php->ini}), php-fpm {$tools->fpmVersion()}",
            'wrk' => $tools->wrkVersion(),
            ...self::peers($tools),
        ]);
    }

    public static function cores(): int
    {
        return max(1, preg_match_all('/^processor\s*:/m', (string) @file_get_contents('/proc/cpuinfo')));
    }

    private static function find(string $pattern, string $file): string
    {
        return preg_match($pattern, (string) @file_get_contents($file), $match) === 1 ? trim($match[1]) : 'unknown';
    }

    /** @return array<string, string> those that are here */
    private static function peers(Tools $tools): array
    {
        $found = ['Swoole' => (new PhpProgram($tools))->version(Extension::Swoole)];
        foreach (Peer::cases() as $peer) {
            $found[$peer->name] = $peer->version();
        }

        return array_filter($found, static fn (?string $version): bool => $version !== null);
    }

    private static function commit(string $root): string
    {
        $commit = Program::run(['git', '-C', $root, 'rev-parse', '--short', 'HEAD']);
        if ($commit->status !== 0) {
            return 'unknown commit';
        }
        $changes = Program::run(['git', '-C', $root, 'status', '--porcelain', '--', 'engine', 'nginx']);

        return $commit->output . ($changes->output === '' ? '' : ' with changes in engine/ or nginx/');
    }
}
