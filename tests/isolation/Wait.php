<?php

/**
 * The ways in which a probe waits: each parks a realm through another hook.
 */

declare(strict_types=1);

namespace Howdah\Tests\Isolation;

use RuntimeException;

final class Wait
{
    public const KINDS = ['usleep', 'nanosleep', 'select', 'flock'];

    /** So few that requests queue up for them, so many that 10,000 requests do not take minutes. */
    private const LOCKS = 4;

    private const LOCK_HELD_US = 100;

    /** @var non-empty-list<string> */
    private readonly array $kinds;

    private readonly int $number;

    private int $turn;

    private bool $locked = false;

    /**
     * @param string $kinds some of KINDS, separated by commas; all when empty
     */
    public function __construct(string $id, string $kinds = '')
    {
        $chosen = array_values(array_intersect(self::KINDS, explode(',', $kinds)));
        $this->kinds = $chosen === [] ? self::KINDS : $chosen;
        $this->turn = $this->number = crc32($id);
    }

    public function for(int $us): void
    {
        match ($this->kinds[$this->turn++ % count($this->kinds)]) {
            'nanosleep' => time_nanosleep(intdiv($us, 1_000_000), $us % 1_000_000 * 1000),
            'select' => self::select($us),
            // A second one would only be more of the same queue.
            'flock' => $this->locked ? usleep($us) : $this->flock($us),
            default => usleep($us),
        };
    }

    private static function select(int $us): void
    {
        $pair = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0);
        if ($pair === false) {
            throw new RuntimeException('probe: no socket pair');
        }
        $read = $pair;
        $write = $except = null;
        stream_select($read, $write, $except, intdiv($us, 1_000_000), $us % 1_000_000);
    }

    private function flock(int $us): void
    {
        $this->locked = true;
        // One user's file is not another's to open.
        $name = sprintf('howdah-probe-%d-%d.lock', posix_geteuid(), $this->number % self::LOCKS);
        $file = fopen(sys_get_temp_dir() . "/{$name}", 'c');
        if ($file === false || !flock($file, LOCK_EX)) {
            throw new RuntimeException('probe: no lock');
        }
        usleep(self::LOCK_HELD_US);
        flock($file, LOCK_UN);
        fclose($file);
        usleep($us);
    }
}
