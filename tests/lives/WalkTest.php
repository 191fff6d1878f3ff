<?php

declare(strict_types=1);

namespace Howdah\Tests\Lives;

use Howdah\Tests\Clock;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;

/**
 * Realms come, wait, tidy up, are replaced, given up and buried at random, and no rule is broken.
 */
final class WalkTest extends TestCase
{
    #[TestWith([2], 'seed 2')]
    #[TestWith([4], 'seed 4')]
    public function testNoRuleIsBroken(int $seed): void
    {
        $walk = Walk::run(Walk::folder() . '/lives/walk', $seed, 40);
        if ($walk->exit === 124) {
            Clock::late("the walk of seed {$seed} did not end");
        }

        self::assertSame(0, $walk->exit, $walk->said);
        self::assertStringContainsString('40 rounds', $walk->said);
    }
}
