<?php

declare(strict_types=1);

namespace Howdah\Tests\Engine;

use PHPUnit\Framework\TestCase;

/** Requests that end before their time leave nothing behind. What clients see of it: tests/http/CancelTest.php. */
final class CancelTest extends TestCase
{
    /** In `make test-long` 2,500: of each there are 100,000 bytes and more that could stay, and the limit is some 7 MB. */
    public function testManyRequestsThatAreUnwoundLeaveTheirRealmsServingAndMemoryFlat(): void
    {
        $requests = getenv('HOWDAH_LONG') ? 2500 : 800;
        $options = ["--requests={$requests}", '--at-once=8', '--realms=8', '--request-timeout=20', '--query=n=%d'];
        $run = Runner::run('endless.php', [...$options, '--head', '--quiet', '--memory', '--ini=display_errors=0']);

        self::assertSame($requests, substr_count($run->out, 'Status: 504'), $run->err);
        self::assertSame($requests, substr_count($run->err, 'the time limit of the request (20 ms, howdah_request_timeout)'));
        $others = preg_grep('/the time limit of the request \(20 ms/', explode("\n", rtrim($run->err)), PREG_GREP_INVERT);
        self::assertSame([], $others, 'something else was logged');
        self::assertSame(0, $run->figure('deaths'), 'a realm did not outlive its request');
        self::assertLessThan($run->figure('early') * 1.15, $run->figure('late'));
    }

    public function testTimeLimitsAreSafeUnderTheChaosScheduler(): void
    {
        $options = ['--requests=300', '--at-once=32', '--realms=32', '--request-timeout=20', '--query=n=%d', '--chaos=5'];
        $run = Runner::run('endless.php', [...$options, '--head', '--quiet', '--ini=display_errors=0']);

        self::assertSame(300, substr_count($run->out, 'Status: 504'), $run->err);
        self::assertSame(0, $run->exit, $run->err);
    }
}
