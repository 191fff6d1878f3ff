<?php

declare(strict_types=1);

namespace Howdah\Tests\Lives;

use PHPUnit\Framework\Attributes\DataProviderExternal;
use PHPUnit\Framework\TestCase;

/**
 * The walk notices whatever is wrong with a realm's moves, and with what is counted of them: each legal move taken out of its
 * table, each counter off by one.
 */
final class MutantTest extends TestCase
{
    private const STOPPED = 124;
    private const COUNTED = [
        'births', 'realms', 'queued', 'in_flight', 'untidy', 'living', 'fated', 'ends', 'deaths', 'requests', 'cancelled',
    ];

    public function testThereAreMutantsOfAllKinds(): void
    {
        $names = implode("\n", array_keys(iterator_to_array(Mutant::all())));
        self::assertSame(24, substr_count($names, '= true'), $names);
        self::assertSame(1, substr_count($names, 'as it was'), $names);
        foreach (self::COUNTED as $counter) {
            self::assertMatchesRegularExpression("/^without .*pool->((counts|tally|slots)\\.)?{$counter}\\b/m", $names);
            self::assertMatchesRegularExpression("/^twice .*pool->((counts|tally|slots)\\.)?{$counter}\\b/m", $names);
        }
    }

    #[DataProviderExternal(Mutant::class, 'all')]
    public function testTheWalkNotices(Mutant $mutant): void
    {
        $program = $mutant->build();
        $walk = Walk::run($program, 4, 60);
        if ($walk->exit === 0) {
            $walk = Walk::run($program, 2, 60);
        }

        self::assertNotSame(0, $walk->exit, "nothing was noticed: {$walk->said}");
        self::assertNotSame(self::STOPPED, $walk->exit, "nothing was noticed within the time: {$walk->said}");
        self::assertMatchesRegularExpression('/fault of Howdah|^walk: /m', $walk->said);
    }
}
