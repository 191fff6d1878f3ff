<?php

declare(strict_types=1);

namespace Howdah\Bench\Rules;

/**
 * TechEmpower's count: as many statements and rows as requests need, asked many at once. None may come from a cache, nor many
 * from one query; theirs does not count queries and updates apart.
 */
final readonly class Counted
{
    private const AT_ONCE = 32;
    private const TIMES = 2;

    /** Theirs, of what is allowed above: retries, a connection's own. */
    private const MARGIN = 1.05;

    /** Of rows that are updated by one statement: those whose id was drawn twice are one. */
    private const BULK = 0.95;

    public function __construct(private Traffic $traffic)
    {
    }

    /**
     * @param int $queries each request makes
     * @param int $rows    each reads
     * @param int $updates rows that each writes, one by one or all in one statement
     */
    public function verify(Asking $asking, string $path, int $queries, int $rows, int $updates = 0): void
    {
        $before = $this->counts();
        for ($i = 0; $i < self::TIMES; $i++) {
            $asking->together($path, self::AT_ONCE);
        }
        $requests = self::AT_ONCE * self::TIMES;
        $grown = array_map(static fn (int $one, int $other): int => $other - $one, $before, $this->counts());
        [$selects, $read, $changes, $changed] = $grown;
        $this->compare($asking, $path, 'queries', $selects, $requests * $queries);
        $this->compare($asking, $path, 'rows read', $read, $requests * $rows);
        $least = (int) ceil($requests * $updates * ($changes === $requests ? self::BULK : 1));
        $asking->demand($changed >= $least, $path, "$changed rows updated, and not $least");
    }

    /** @return list<int> */
    private function counts(): array
    {
        return [
            $this->traffic->statements('select'),
            $this->traffic->rows('select'),
            $this->traffic->statements('update'),
            $this->traffic->rows('update'),
        ];
    }

    private function compare(Asking $asking, string $path, string $what, int $seen, int $expected): void
    {
        $right = $seen >= $expected && $seen <= $expected * self::MARGIN;
        $asking->demand($right, $path, "$seen $what, and not $expected");
    }
}
