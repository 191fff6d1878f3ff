<?php

declare(strict_types=1);

namespace Howdah\Cli\Tests;

use Howdah\Cli\Control\StopWishes;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;

/** Signals to stop that come together, and one that comes later. */
final class StopWishesTest extends TestCase
{
    private const FIRST = 5_000;

    /** @return array<string, array{list<array{int, bool}>, bool}> looks, by milliseconds, and whether the last one is another wish */
    public static function looks(): array
    {
        return [
            'at once' => [[[0, true]], false],
            'at once, and once more' => [[[0, true], [1, true], [2, true]], false],
            'within half a second' => [[[0, false], [50, false], [450, true]], false],
            'later' => [[[0, false], [50, false], [501, false], [551, true]], true],
            'later, and once more' => [[[501, false], [551, true], [552, true]], true],
            'one together, one later' => [[[0, true], [1, false], [600, false], [650, true]], true],
            'we stood still before the first look' => [[[3000, true]], false],
            'we stood still between two looks' => [[[0, false], [50, false], [3000, true]], false],
            'we stood still, and none had come' => [[[0, false], [3000, false], [3050, true]], true],
        ];
    }

    /** @param list<array{int, bool}> $looks */
    #[DataProvider('looks')]
    public function test_what_may_have_come_with_the_first_is_no_other_wish(array $looks, bool $isAnother): void
    {
        $wishes = new StopWishes(self::FIRST * 1_000_000);
        $told = false;
        foreach ($looks as [$milliseconds, $heard]) {
            $told = $wishes->isAnother((self::FIRST + $milliseconds) * 1_000_000, $heard);
        }

        self::assertSame($isAnother, $told);
    }
}
