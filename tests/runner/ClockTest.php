<?php

declare(strict_types=1);

namespace Howdah\Tests\Runner;

use Howdah\Tests\Clock;
use Howdah\Tests\Late;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\ExpectationFailedException;
use PHPUnit\Framework\TestCase;

/** The one clock of all tests: what is late, what is wrong; and the check that there is no other. */
final class ClockTest extends TestCase
{
    public function test_a_bound_from_above_is_late(): void
    {
        Clock::assertAtMost(2, 2.0, 'it is quick');
        $this->expectException(Late::class);
        $this->expectExceptionMessage('it is quick: 2.001 s, at most 2.000 s are allowed');
        Clock::assertAtMost(2, 2.001, 'it is quick');
    }

    public function test_a_bound_from_below_is_wrong(): void
    {
        Clock::assertAtLeast(2, 2.0, 'it waits');
        // Which Late is not.
        $this->expectException(ExpectationFailedException::class);
        Clock::assertAtLeast(2, 1.999, 'it waits');
    }

    #[TestWith([NAN], 'NAN')]
    #[TestWith([INF], 'INF')]
    public function test_what_is_no_time_is_wrong(float $seconds): void
    {
        $this->expectException(ExpectationFailedException::class);
        Clock::assertAtMost(2, $seconds, 'it is quick');
    }

    public function test_a_clock_runs(): void
    {
        $clock = Clock::start();
        usleep(20_000);
        $clock->assertPassed(0.02, 'it runs');
        $this->expectException(Late::class);
        $clock->assertWithin(0.01, 'it stands');
    }

    public function test_it_waits_until_something_is_so(): void
    {
        $asked = 0;
        $found = Clock::await(static function () use (&$asked): string|false {
            return ++$asked === 3 ? '' : false;
        }, 'the third time');
        self::assertSame('', $found);
        self::assertSame(3, $asked);
    }

    /** However long this process slept: what is so at the end is no matter of time. */
    public function test_it_asks_once_more_when_its_time_is_over(): void
    {
        $asked = 0;
        self::assertTrue(Clock::await(static function () use (&$asked): bool {
            usleep(20_000);

            return ++$asked === 2;
        }, 'the second time', 0.01));
    }

    public function test_what_does_not_become_so_is_late(): void
    {
        $seen = '';
        $this->expectException(Late::class);
        $this->expectExceptionMessage('it opens, but it is closed: not within 0.0 s');
        Clock::await(static function () use (&$seen): bool {
            $seen = 'closed';

            return false;
        }, static function () use (&$seen): string {
            return "it opens, but it is $seen";
        }, 0.02);
    }

    #[TestWith(['SomeTest.php', '$start = micro' . 'time(true);', 1], 'a class of tests with a clock')]
    #[TestWith(['Helper.php', '$start = micro' . 'time(true);', 0], 'what others may have')]
    #[TestWith(['Helper.php', 'self::assertLess' . 'Than(5, $answer->seconds);', 1], 'a property')]
    #[TestWith(['Helper.php', "self::assertGreater" . "ThanOrEqual(\n    0.1,\n    \$told['elapsed'],\n);", 1], 'on lines')]
    #[TestWith(['Helper.php', 'self::assertLess' . 'Than(5, $cpu, "what it took");', 0], 'words')]
    #[TestWith(['Helper.php', 'self::assertLess' . 'Than(5, $count); $seconds = 1;', 0], 'something else')]
    public function test_there_is_no_other(string $name, string $code, int $status): void
    {
        $folder = sys_get_temp_dir() . '/howdah-clock-' . bin2hex(random_bytes(6));
        mkdir($folder);
        try {
            file_put_contents("$folder/$name", "<?php\n\n$code\n");
            exec(dirname(__DIR__) . '/clock/check ' . escapeshellarg("$folder/$name") . ' 2>&1', $lines, $ended);
        } finally {
            unlink("$folder/$name");
            rmdir($folder);
        }
        self::assertSame($status, $ended, implode("\n", $lines));
        self::assertSame($status === 1, str_starts_with($lines[0], "$folder/$name:3: "), $lines[0]);
    }
}
