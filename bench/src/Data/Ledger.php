<?php

declare(strict_types=1);

namespace Howdah\Bench\Data;

use Closure;
use Howdah\Bench\Load\WrongAnswer;

/** What each request writes, counted where it is kept: an answer whose write is not there is a wrong one, however fast it came. */
final readonly class Ledger
{
    /** @param array<string, Closure(): int> $counts each grows by one for each request */
    public function __construct(private array $counts)
    {
    }

    /** @return array<string, int> to hand to check() */
    public function read(): array
    {
        return array_map(static fn (Closure $count): int => $count(), $this->counts);
    }

    /**
     * @param array<string, int> $before
     * @param int                $answered requests since then
     * @param int                $cut      connections that were cut: what these had asked for may have been written
     */
    public function check(string $contender, array $before, int $answered, int $cut): void
    {
        foreach ($this->read() as $what => $after) {
            $written = $after - ($before[$what] ?? 0);
            if ($written < $answered) {
                $lost = $answered - $written;
                throw new WrongAnswer("$contender, $what: $lost of $answered writes were lost");
            }
            if ($written > $answered + $cut) {
                throw new WrongAnswer("$contender, $what: $written writes for $answered answers");
            }
        }
    }
}
