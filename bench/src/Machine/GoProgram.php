<?php

declare(strict_types=1);

namespace Howdah\Bench\Machine;

/**
 * What servers in Go run with. On one processor Go runs one of its threads at a time (GOMAXPROCS), and one that waits in PHP is
 * taken for busy until its monitor looks, up to 10 ms later: FrankenPHP answered an eighth of what it can (2026-11-26).
 */
final class GoProgram
{
    /** At least. */
    public const AT_ONCE = 4;

    /**
     * @param int      $processors that the server is given
     * @param int|null $exactly    what it shall have, whatever is good for it
     *
     * @return array<string, string>
     */
    public static function environment(int $processors, ?int $exactly = null): array
    {
        return ['GOMAXPROCS' => (string) ($exactly ?? max(self::AT_ONCE, $processors))];
    }

    /** For the report; null when no such server is here. */
    public static function describe(): ?string
    {
        $here = array_filter([Peer::FrankenPhp, Peer::RoadRunner], static fn (Peer $peer): bool => $peer->missing() === null);

        return $here === [] ? null : self::AT_ONCE . ' at least, and as many as processors that they are given; Go would take 1'
            . ' on one processor, as in a container that has one: rows that say GOMAXPROCS=1';
    }
}
