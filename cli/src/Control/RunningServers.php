<?php

declare(strict_types=1);

namespace Howdah\Cli\Control;

use Howdah\Cli\Failure;

/**
 * The servers that `howdah serve` runs on this machine, as far as this user may know of them.
 *
 * They are found by their nginx, which works in the server's runtime folder: so it does not matter which temporary folder a
 * server was given, and nothing is left of one that was killed.
 */
final class RunningServers
{
    /** @return array<string, ServerRecord> by the folder in which the record is */
    public static function all(): array
    {
        $found = [];
        foreach (ProcessStat::named('nginx') as $pid) {
            $file = "/proc/$pid/cwd/" . ServerRecord::FILE;
            $record = ServerRecord::read($file);
            if ($record !== null && $record->isAlive() && self::isOf($pid, $record->pid, $file)) {
                $found["/proc/$pid/cwd"] = $record;
            }
        }
        uasort($found, static fn (ServerRecord $a, ServerRecord $b): int => $a->pid <=> $b->pid);

        return $found;
    }

    /**
     * Whether this is its nginx. Any user can make a process that is called nginx and has a record: root must not be led by
     * it to send signals to processes of somebody else, nor by a program that runs as root for everybody (setuid) in a folder
     * with a record of theirs: the record is its owner's, too, and no link.
     */
    private static function isOf(int $nginx, int $serve, string $file): bool
    {
        $owner = @fileowner("/proc/$nginx");
        clearstatcache();

        return $owner !== false && $owner === @fileowner("/proc/$serve") && ProcessStat::parentOf($nginx) === $serve
            && !is_link($file) && $owner === @fileowner($file);
    }

    /**
     * The one that is meant. Fails where there is none, or more than one.
     *
     * @param  string|null                 $path a project's; null: there is one server
     * @param  int|null                    $pid  of `howdah serve`
     * @return array{string, ServerRecord} the folder, and its record
     */
    public static function one(?string $path, ?int $pid): array
    {
        $all = self::all();
        $meant = array_filter($all, static fn (ServerRecord $record): bool => $pid === null
            ? $path === null || self::serves($record, $path)
            : $record->pid === $pid);
        // One that another one has started (`make serve`: the demo with rewind) ends with it, and is meant by --pid only.
        $pids = array_map(static fn (ServerRecord $record): int => $record->pid, $meant);
        $meant = array_filter(
            $meant,
            static fn (ServerRecord $record): bool => !in_array(ProcessStat::parentOf($record->pid), $pids, true),
        );
        if (count($meant) === 1) {
            return [array_key_first($meant), reset($meant)];
        }
        throw new Failure(match (true) {
            $meant !== [] => 'more than one server is meant: ' . self::listed($meant) . ': name one with --pid=PID',
            $pid !== null => self::noSuch($pid),
            $all === [] => self::none() . ': start one, or ask as the user who did',
            default => 'no `howdah serve` serves ' . LogicalPath::of((string) $path) . '; there are: ' . self::listed($all)
                . ': name one by its folder or with --pid=PID',
        });
    }

    /** What is said where none is found. */
    public static function none(): string
    {
        $unseen = implode(', ', self::unseen());

        if ($unseen === '') {
            return 'no `howdah serve` of this user runs on this machine';
        }

        return "this user's nginx, process $unseen, may do more than this command, as that of a unit of systemd with"
            . ' capabilities, and so cannot be looked at: ask as root (`sudo howdah status`); no other `howdah serve` of this'
            . ' user runs on this machine';
    }

    /**
     * Processes of this user's that this command may not look at: they have capabilities that it lacks (ptrace(2), "Ptrace
     * access mode checking").
     *
     * @return list<int>
     */
    private static function unseen(): array
    {
        return array_values(array_filter(ProcessStat::named('nginx'), static function (int $pid): bool {
            // In this order: one that ends meanwhile is nobody's.
            $isUnseen = @readlink("/proc/$pid/cwd") === false;

            return $isUnseen && ProcessStat::birthOf($pid) !== 0 && ProcessStat::userOf($pid) === posix_geteuid();
        }));
    }

    private static function noSuch(int $pid): string
    {
        $user = ProcessStat::birthOf($pid) === 0 ? false : fileowner("/proc/$pid");
        if ($user !== false && $user !== posix_geteuid() && posix_geteuid() !== 0) {
            $name = posix_getpwuid($user)['name'] ?? "user $user";

            return "process $pid belongs to $name: ask as that user";
        }

        return "process $pid is no `howdah serve` that serves: `howdah status` lists those that do";
    }

    private static function serves(ServerRecord $record, string $path): bool
    {
        $logical = LogicalPath::of($path);

        return $record->path === $logical || $record->root === realpath($logical);
    }

    /** @param array<ServerRecord> $records */
    private static function listed(array $records): string
    {
        $lines = array_map(static fn (ServerRecord $each): string => "{$each->path} (process {$each->pid})", $records);

        return implode(', ', $lines);
    }
}
