<?php

declare(strict_types=1);

namespace Howdah\Cli\Control;

/** The process that a runtime folder is of, as it is written into it; and whether it has gone. */
final readonly class FolderOwner
{
    public const FILE = 'owner';

    /** Locked as long as the process lives: other containers see that, too. */
    private const LOCK = 'alive';

    /** @param string $folder empty: of no folder yet */
    private function __construct(private int $pid, private int $birth, private string $world, private string $folder = '')
    {
    }

    /**
     * Before it is written whose the folder is.
     *
     * @return resource|null to be kept open; null: nothing can be locked there
     */
    public static function lock(string $folder)
    {
        // Closed in programs that are started ("e"): they may live on.
        $file = @fopen("$folder/" . self::LOCK, 'xe');
        if ($file !== false && !@flock($file, LOCK_EX | LOCK_NB)) {
            fclose($file);
            @unlink("$folder/" . self::LOCK);

            return null;
        }

        return $file === false ? null : $file;
    }

    public static function me(): self
    {
        $pid = (int) getmypid();

        return new self($pid, ProcessStat::birthOf($pid), self::world());
    }

    /** Null where it does not say so: it may be written just now. */
    public static function of(string $folder): ?self
    {
        $text = (string) @file_get_contents("$folder/" . self::FILE, length: 200);

        return preg_match('/^([1-9]\d*) ([1-9]\d*) (\S+ \S+)\n$/D', $text, $match) === 1
            ? new self((int) $match[1], (int) $match[2], $match[3], $folder)
            : null;
    }

    public function toText(): string
    {
        return "{$this->pid} {$this->birth} {$this->world}\n";
    }

    /**
     * Whether it surely has. Its number may be another process's by now: so the time of its start counts, too. A process that
     * is there and of which the kernel tells us nothing (hidepid) may be it. What is a process of another machine that has the
     * same temporary folder cannot be seen from here; of one in another container, or in the same before it was started again,
     * the lock tells.
     */
    public function hasGone(): bool
    {
        if ($this->birth === 0 || strtok($this->world, ' ') !== strtok(self::world(), ' ')) {
            return false;
        }
        if ($this->world !== self::world()) {
            return $this->isUnlocked();
        }
        if (!posix_kill($this->pid, 0) && posix_get_last_error() === PCNTL_ESRCH) {
            return true;
        }

        return ProcessStat::stateOf($this->pid) !== '' && ProcessStat::birthOf($this->pid) !== $this->birth;
    }

    private function isUnlocked(): bool
    {
        $file = @fopen("{$this->folder}/" . self::LOCK, 're');
        $isUnlocked = $file !== false && flock($file, LOCK_EX | LOCK_NB);
        if ($file !== false) {
            fclose($file);
        }

        return $isUnlocked;
    }

    /** In which numbers of processes mean the same: since the machine's start, and in its namespace (pid_namespaces(7)). */
    private static function world(): string
    {
        $boot = trim((string) @file_get_contents('/proc/sys/kernel/random/boot_id')) ?: '-';

        return $boot . ' ' . (@readlink('/proc/self/ns/pid') ?: '-');
    }
}
