<?php

declare(strict_types=1);

namespace Howdah\Tests\Engine;

use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;

/** Memory is out where PHP would end its process: the request ends. More ways of PHP code, over HTTP: tests/http/ExhaustionTest. */
final class ExhaustionTest extends TestCase
{
    /** PHP's functions that cannot fail may go on to the hard limit, and the error comes a little later. */
    #[TestWith(['classic', 200, true], 'classic, 200')]
    #[TestWith(['classic', 100, false], 'classic, 100')]
    #[TestWith(['worker', 100, false], 'worker, 100')]
    public function testTheServersHardLimitIsThatOfRealms(string $mode, int $percent, bool $passes): void
    {
        if (ini_get('memory_hard_limit_percent') === false) {
            self::markTestSkipped('this release of PHP has one limit');
        }
        $run = $this->exhaust($mode, 'peak', 1, "--ini=memory_limit=24M", "--ini=memory_hard_limit_percent={$percent}");

        self::assertSame(0, $run->exit, $run->err);
        self::assertStringContainsString('Allowed memory size of 25165824 bytes exhausted (tried to allocate ', $run->err);
        self::assertSame(1, preg_match('/peak (\d+)/', $run->out, $peak), $run->out);
        self::assertSame($passes, (int) ($peak[1] ?? 0) > 24 << 20);
    }

    #[TestWith(['classic'], 'classic')]
    #[TestWith(['worker'], 'worker')]
    public function testASizeThatCannotBeComputedEndsItsRequest(string $mode): void
    {
        $run = $this->exhaust($mode, 'overflow', 1, '--ini=ffi.enable=1', '--head');

        self::assertSame(0, $run->exit, $run->err);
        self::assertStringContainsString('Status: 500', $run->out);
        self::assertStringContainsString('Possible integer overflow in memory allocation', $run->err);
    }

    /** A third of the requests takes what there is; it is there again for the next of them. */
    #[TestWith(['classic'], 'classic')]
    #[TestWith(['worker'], 'worker')]
    public function testWhereTheMachineHasNoMoreMemoryARequestEnds(string $mode): void
    {
        $size = $this->exhaust($mode, 'size', 12)->figure('size') + (100 << 10);
        $limited = ['sh', '-c', "ulimit -v {$size}; exec \"\$@\"", 'sh'];
        $run = Runner::run('exhaustion.php', self::options($mode, 'machine', 60, '--ini=memory_limit=-1'), $limited);

        self::assertSame(0, $run->exit, $run->err);
        self::assertSame(40, substr_count($run->out, 'alive'), $run->err);
        self::assertSame(20, substr_count($run->err, 'PHP Fatal error:  Out of memory (allocated '), $run->err);
    }

    private function exhaust(string $mode, string $what, int $requests, string ...$options): Runner
    {
        return Runner::run('exhaustion.php', self::options($mode, $what, $requests, ...array_values($options)));
    }

    /** @return list<string> */
    private static function options(string $mode, string $what, int $requests, string ...$more): array
    {
        $load = ["--requests={$requests}", '--at-once=12', '--realms=12', "--query=do={$what}&n=%d"];

        return ["--mode={$mode}", ...$load, ...array_values($more)];
    }
}
