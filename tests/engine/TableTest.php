<?php

declare(strict_types=1);

namespace Howdah\Tests\Engine;

use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;

/**
 * PHP's tables begin in pages that realms share until they write to them.
 */
final class TableTest extends TestCase
{
    /**
     * @param list<string> $options
     */
    #[TestWith([[]], 'realms that stay')]
    #[TestWith([['--max-requests=3', '--chaos=7']], 'realms that are replaced, chaos')]
    public function testARealmOutgrowsItsTables(array $options): void
    {
        $run = Runner::run('tables.php', [
            '--quiet',
            '--requests=200',
            '--at-once=16',
            '--query=n=%d',
            "--expect=%d right\n",
            ...$options,
        ]);
        self::assertSame(0, $run->exit, substr($run->err . $run->out, 0, 4000));
        self::assertStringContainsString('200 answers, 0 wrong', $run->err);
    }

    public function testARealmThatHasServedNobodyCostsLittle(): void
    {
        $some = Runner::run('classic.php', ['--memory', '--warm=1', '--realms=1', '--requests=0']);
        $many = Runner::run('classic.php', ['--memory', '--warm=101', '--realms=101', '--requests=0']);
        self::assertGreaterThan(0, $many->figure('private_kb'), "what /proc tells");
        $each = ($many->figure('private_kb') - $some->figure('private_kb')) / 100;
        self::assertLessThan(250, $each, 'KiB');
    }
}
