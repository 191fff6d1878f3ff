<?php

declare(strict_types=1);

namespace Howdah\Tests\Upstream;

use PHPUnit\Framework\TestCase;
use Throwable;

/** One nginx for each mode, with all subjects; a lost one fails the test that lost it. */
abstract class UpstreamTestCase extends TestCase
{
    /** @var array<string, Stage> by mode */
    private static array $stages = [];

    /** @return list<class-string<Subject>> */
    protected static function subjects(): array
    {
        return [Subjects\Basics::class, Subjects\Filters::class, Subjects\Subrequests::class, Subjects\Redirections::class];
    }

    protected static function stage(string $mode): Stage
    {
        if (isset(self::$stages[$mode]) && !self::$stages[$mode]->isRunning()) {
            self::fail('nginx has ended: ' . self::$stages[$mode]->log());
        }

        return self::$stages[$mode] ??= new Stage($mode, self::subjects());
    }

    public static function tearDownAfterClass(): void
    {
        foreach (self::$stages as $mode => $stage) {
            $log = $stage->log();
            $stage->stop();
            unset(self::$stages[$mode]);
            self::assertDoesNotMatchRegularExpression('~\[(alert|emerg|crit)\]|exited on signal|howdah: crash~', $log);
        }
    }

    protected function onNotSuccessfulTest(Throwable $t): never
    {
        foreach (self::$stages as $mode => $stage) {
            fwrite(STDERR, "\n---- log of $mode ({$this->name()})\n" . substr($stage->log(), -1500) . "\n");
        }
        throw $t;
    }
}
