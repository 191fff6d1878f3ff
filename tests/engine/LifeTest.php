<?php

declare(strict_types=1);

namespace Howdah\Tests\Engine;

use Howdah\Tests\Clock;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;

final class LifeTest extends TestCase
{
    #[TestWith(['classic', 'echo.php'], 'classic')]
    #[TestWith(['worker', 'worker.php'], 'worker')]
    public function testTenThousandBirthsAndDeathsLeaveMemoryFlat(string $mode, string $script): void
    {
        $options = ["--mode={$mode}", '--quiet', '--requests=10000', '--at-once=8', '--max-requests=1', '--memory'];
        // Without slices realms live one after another: as many at the end as at the beginning.
        $run = Runner::run($script, [...$options, '--slice=0']);
        self::assertSame(0, $run->exit, $run->err);
        self::assertSame(10000, $run->figure('births'));
        self::assertLessThanOrEqual($run->figure('early') * 1.02, $run->figure('late'), 'resident KiB');
    }

    /** What comes after a request may wait, so that the request is over before its realm is idle. */
    public function testARealmIsReplacedAlsoWhereItsScriptWaitsBetweenTwoRequests(): void
    {
        $options = ['--mode=worker', '--requests=30', '--at-once=3', '--max-requests=1', '--memory', '--quiet', '--expect=1'];
        $run = Runner::run('waiting-worker.php', $options);
        self::assertSame(0, $run->exit, $run->err);
        self::assertGreaterThanOrEqual(30, $run->figure('births'));
    }

    public function testResumingTheRealmThatRanLastCopiesNothing(): void
    {
        // Not preempted: a boot and a thousand requests are about one slice.
        // And nobody collects its garbage, should this process sleep while it is idle.
        $options = ['--mode=worker', '--quiet', '--requests=1000', '--memory', '--slice=0', '--ini=zend.enable_gc=0'];
        $run = Runner::run('worker.php', $options);
        self::assertSame(1001, $run->figure('switches'), 'once more for its boot');
        self::assertSame(0, $run->figure('loads'));
    }

    public function testRealmsAreBornOnDemandUpToTheLimit(): void
    {
        $few = Runner::run('wait.php', ['--quiet', '--requests=20', '--at-once=3', '--memory', '--query=way=usleep']);
        self::assertSame(3, $few->figure('births'));
        $options = ['--quiet', '--realms=5', '--requests=20', '--at-once=20', '--memory', '--query=way=usleep'];
        $many = Runner::run('wait.php', $options);
        self::assertSame(5, $many->figure('births'));
    }

    /**
     * 16 at first; as many as there are requests where they only wait. It measures how many end in a time, so it rises later on
     * a machine that stalls. (tests/unit/limit_test.c has the same with a clock that is made up.)
     */
    #[Group('clock')]
    public function testALimitThatAdaptsItselfRisesAndKeepsItsBounds(): void
    {
        $options = ['--quiet', '--at-once=400', '--memory', '--query=way=usleep', '--expect=done'];
        $fixed = Runner::run('wait.php', [...$options, '--requests=100', '--realms=16']);
        $few = Runner::run('wait.php', [...$options, '--requests=1000', '--realms=20', '--adaptive=2']);
        $many = Runner::run('wait.php', [...$options, '--requests=6000', '--realms=300', '--adaptive=2']);
        self::assertSame([0, 0, 0], [$fixed->exit, $few->exit, $many->exit], $many->err);
        self::assertSame(16, $fixed->figure('births'));
        self::assertSame(20, $few->figure('births'));
        self::assertLessThanOrEqual(300, $many->figure('births'));
        $many->figure('births') > 32 || Clock::late("it has risen to {$many->figure('births')} only, not above 32");
    }

    public function testWhereMemoryIsShortThoseWhoAreAliveServe(): void
    {
        // Three gigabytes of address space hold some 260 stacks.
        $limit = ['sh', '-c', 'ulimit -v 3000000; exec "$@"', 'sh'];
        $options = ['--realms=2000', '--requests=1500', '--at-once=1500', '--memory', '--quiet', '--expect=done'];
        $run = Runner::run('wait.php', [...$options, '--query=way=told'], $limit);
        self::assertSame(0, $run->exit, substr($run->err, 0, 2000));
        self::assertLessThan(1000, $run->figure('births'));
        self::assertStringContainsString('lower the concurrency', $run->err);
    }

    public function testARequestBeyondTheQueueIsAnswered503(): void
    {
        $options = ['--head', '--realms=1', '--queue=2', '--requests=5', '--at-once=5', '--query=way=usleep'];
        $run = Runner::run('wait.php', $options);
        self::assertSame(3, substr_count($run->out, 'Status: 200'));
        self::assertSame(2, substr_count($run->out, 'Status: 503'));
        self::assertStringContainsString('Retry-After: 1', $run->out);
        self::assertStringContainsString('raise the concurrency or the queue', $run->err);
    }

    public function testARequestThatWaitsTooLongForARealmIsAnswered503(): void
    {
        // The first one has the realm until the log tells of the second one, and the third one comes then: it waits for less.
        $options = ['--head', '--realms=1', '--queue-timeout=3000', '--requests=3', '--at-once=2', '--query=way=told'];
        $run = Runner::run('wait.php', $options);
        self::assertSame(2, substr_count($run->out, 'Status: 200'), $run->out . $run->err);
        self::assertSame(1, substr_count($run->out, 'Status: 503'));
        self::assertStringContainsString('time limit (3000 ms', $run->err);
    }

    #[TestWith(['classic'], 'classic')]
    #[TestWith(['worker'], 'worker')]
    public function testRecursionThroughCCodeEndsOneRequest(string $mode): void
    {
        $script = $mode === 'worker' ? 'overflow-worker.php' : 'overflow.php';
        $options = ["--mode={$mode}", '--quiet', '--requests=200', '--at-once=8', '--query=n=%d', '--expect-part=ok'];
        $run = Runner::run($script, $options);
        self::assertSame(0, $run->exit, $run->err);
        self::assertSame(100, substr_count($run->err, 'Maximum call stack size'), 'once in the script, once at its end');
    }
}
