<?php

declare(strict_types=1);

namespace Howdah\Tests;

use PHPUnit\Framework\Assert;

/**
 * All that tests ask of time. A bound from above can be passed through no fault of ours, so it fails as Late; one from below
 * cannot, and fails as any assertion. tests/clock/check sees to it that no test compares times by itself.
 *
 * Wait for an event (await()) rather than for a time; compare with what else happened in the same run rather than with
 * a figure.
 */
final readonly class Clock
{
    /** Seconds that an event may take on a machine that is very busy: nobody waits for so long where all is well. */
    public const PATIENCE = 60.0;

    /** Seconds between two looks. */
    private const PAUSE = 0.005;

    private function __construct(private float $start)
    {
    }

    public static function start(): self
    {
        return new self(self::now());
    }

    /** Seconds since some time in the past; no change of the machine's date moves them. */
    public static function now(): float
    {
        return hrtime(true) / 1e9;
    }

    /** Seconds since the start. */
    public function seconds(): float
    {
        return self::now() - $this->start;
    }

    /** Fails as Late when more than these seconds have passed. */
    public function assertWithin(float $limit, string $what): void
    {
        self::assertAtMost($limit, $this->seconds(), $what);
    }

    /** Fails when fewer than these seconds have passed. */
    public function assertPassed(float $limit, string $what): void
    {
        self::assertAtLeast($limit, $this->seconds(), $what);
    }

    /** The same for seconds that somebody else has measured. */
    public static function assertAtMost(float $limit, float $seconds, string $what): void
    {
        Assert::assertTrue(is_finite($seconds), "$what: $seconds is no time");
        if ($seconds > $limit) {
            self::late(sprintf('%s: %.3f s, at most %.3f s are allowed', $what, $seconds, $limit));
        }
    }

    /** Only a bound from below: a test that is late fulfils it, too. */
    public static function assertAtLeast(float $limit, float $seconds, string $what): void
    {
        Assert::assertGreaterThanOrEqual($limit, $seconds, $what);
    }

    /**
     * Waits until something is so, and returns what the condition returned: anything but false and null. Fails as Late when it
     * is not so in time.
     *
     * @template T
     * @param  callable(): (T|false|null)  $condition asked again and again
     * @param  (callable(): string)|string $what      what is awaited; a function may tell what was found instead
     * @return T
     */
    public static function await(callable $condition, callable|string $what, float $patience = self::PATIENCE): mixed
    {
        $clock = self::start();
        do {
            // Asked once more after the last pause: this process may have slept for longer than it wanted to.
            $over = $clock->seconds() > $patience;
            $found = $condition();
            if ($found !== false && $found !== null) {
                // Counted, so that a test that only waits is none without assertions.
                Assert::assertGreaterThanOrEqual(0.0, $clock->seconds());

                return $found;
            }
            usleep((int) (self::PAUSE * 1e6));
        } while (!$over);
        self::late(sprintf('%s: not within %.1f s', is_string($what) ? $what : $what(), $patience));
    }

    /** For what tells by itself that its time has run out: a client's time limit, a program that timeout(1) ended. */
    public static function late(string $what): never
    {
        // Counted: a test without assertions would be wrong, too.
        Assert::assertNotSame('', $what, 'what is late has no name');
        throw new Late($what);
    }
}
