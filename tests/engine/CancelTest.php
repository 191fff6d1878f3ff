<?php

declare(strict_types=1);

namespace Howdah\Tests\Engine;

use PHPUnit\Framework\TestCase;

/** Requests that end before their time leave nothing behind. What clients see of it: tests/http/CancelTest.php. */
final class CancelTest extends TestCase
{
    public function testThousandsOfRequestsThatAreUnwoundLeaveTheirRealmsServingAndMemoryFlat(): void
    {
        $options = ['--requests=2500', '--at-once=64', '--realms=64', '--request-timeout=20', '--query=n=%d'];
        $run = Runner::run('endless.php', [...$options, '--head', '--quiet', '--memory', '--ini=display_errors=0']);

        self::assertSame(2500, substr_count($run->out, 'Status: 504'), $run->err);
        self::assertSame(2500, substr_count($run->err, 'the time limit of the request (20 ms, howdah_request_timeout)'));
        self::assertSame(2500, substr_count($run->err, "\n"), 'something else was logged');
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
