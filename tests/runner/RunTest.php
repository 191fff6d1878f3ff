<?php

declare(strict_types=1);

namespace Howdah\Tests\Runner;

use Howdah\Tests\Clock;
use Howdah\Tests\Late;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;

/** tests/run with a table of its own and a `make` that fails as it is told: what runs, what runs again, how it ends, what it tells. */
final class RunTest extends TestCase
{
    private const TABLE = <<<'TEXT'
        # suite       lane   runs in
        test-first    a      gate,long
        test-second   a      gate
        test-beside   b      gate,other
        test-clocks   alone  gate
        test-deep     a      long
        TEXT;

    /** A name that has all that means something in a pattern. */
    private const ODD = 'test_x with data set "a "q" (x|y), $1 & ~mode/é"';

    private string $folder;

    /** @var array<string, string> what tests/run has beside */
    private array $environment = [];

    protected function setUp(): void
    {
        $this->folder = sys_get_temp_dir() . '/howdah-runner-' . bin2hex(random_bytes(6));
        mkdir($this->folder);
        file_put_contents("$this->folder/suites", self::TABLE);
        file_put_contents("$this->folder/make", <<<'SH'
            #!/bin/bash
            # Is called as: make --no-print-directory TARGET. The Nth call of a target finds TARGET.N.xml and so on.
            cd "$(dirname "$0")" || exit
            echo >>"$2.count"
            try=$2.$(wc -l <"$2.count")
            printf '%s|%s|%s\n' "$2" "${HOWDAH_ONLY:-}" "${HOWDAH_LONG:-}${HOWDAH_OTHER:+other}" >>calls
            for record in xml events; do [ ! -e "$try.$record" ] || cp "$try.$record" "$HOWDAH_RECORD.$record"; done
            [ ! -e "$try.script" ] || . "$try.script"
            echo "$try prints this"
            echo "$2" >>ends
            exit "$(cat "$try.status" 2>/dev/null || echo 0)"
            SH);
        chmod("$this->folder/make", 0700);
    }

    protected function tearDown(): void
    {
        exec('rm -rf ' . escapeshellarg($this->folder));
    }

    public function test_all_is_well(): void
    {
        [$status, $summary] = $this->execute('gate');

        self::assertSame(0, $status);
        foreach (['test-first', 'test-second', 'test-beside', 'test-clocks'] as $suite) {
            self::assertMatchesRegularExpression("/^passed +$suite +\\d+ s +\\d+ CPU s$/m", $summary);
        }
        self::assertStringEndsWith("\n4 passed, 0 failed", $summary);
        // The clocks when all others have ended.
        $calls = $this->calls();
        self::assertCount(4, $calls);
        self::assertSame('test-clocks||', end($calls));
        self::assertContains('test-beside||', $calls);
        $at = array_flip($calls);
        self::assertLessThan($at['test-second||'], $at['test-first||'], 'in turn');
    }

    public function test_the_long_run_has_depth(): void
    {
        self::assertSame(0, $this->execute('long')[0]);
        self::assertSame(['test-first||1', 'test-deep||1'], $this->calls());
    }

    public function test_the_other_releases_root_is_told_what_it_is(): void
    {
        self::assertSame(0, $this->execute('other')[0]);
        self::assertSame(['test-beside||other'], $this->calls());
    }

    public function test_suites_may_be_named(): void
    {
        self::assertSame(0, $this->execute('gate', 'test-beside')[0]);
        self::assertSame(['test-beside||'], $this->calls());
        self::assertSame(2, $this->execute('gate', 'test-beside', 'test-nothing')[0]);
    }

    public function test_lanes_run_side_by_side(): void
    {
        // Each waits for the other.
        $wait = 'touch "$2.here"; for i in {1..3000}; do [ -e %s.here ] && return; sleep 0.02; done; exit 1';
        file_put_contents("$this->folder/test-first.1.script", sprintf($wait, 'test-beside'));
        file_put_contents("$this->folder/test-beside.1.script", sprintf($wait, 'test-first'));

        self::assertSame(0, $this->execute('gate')[0]);
    }

    public function test_who_hangs_is_ended_and_who_only_takes_long_is_not(): void
    {
        $this->environment = ['HOWDAH_PATIENCE' => '5'];
        $tells = '(setsid bash -c "while kill -0 $$; do sleep 0.1; done; touch ended" &) 2>/dev/null';
        file_put_contents("$this->folder/test-first.1.script", "$tells; exec sleep 300");
        // Ends after it, so takes longer.
        $words = 'for i in {1..1500}; do echo $i; sleep 0.2; [ ! -e ended ] || return 0; done; exit 1';
        file_put_contents("$this->folder/test-beside.1.script", $words);
        [$status, $summary] = $this->execute('gate');

        self::assertSame(11, $status);
        self::assertMatchesRegularExpression('/^WRONG: test-first: it hangs: no word for \d+ s$/m', $summary);
        self::assertMatchesRegularExpression('/^passed +test-beside /m', $summary);
    }

    public function test_the_longest_lane_gets_the_largest_share(): void
    {
        $table = self::TABLE . "\ntest-root     other  gate\n";
        file_put_contents("$this->folder/suites", $table);
        foreach (['test-first', 'test-root'] as $suite) {
            file_put_contents("$this->folder/$suite.1.script", 'cat /proc/self/autogroup >"$2.share"');
        }
        self::assertSame(0, $this->execute('gate')[0]);
        $share = fn (string $suite): string => (string) strrchr((string) file_get_contents("$this->folder/$suite.share"), 'n');
        $shares = is_file('/proc/self/autogroup') ? ["nice 5\n", "nice 0\n"] : ['', ''];
        self::assertSame($shares, [$share('test-first'), $share('test-root')]);
    }

    public function test_what_says_that_it_was_not_run_has_not_passed(): void
    {
        file_put_contents("$this->folder/test-first.1.script", "echo 'NOT RUN: the sources are not to be had'");
        [$status, $summary] = $this->execute('gate');

        self::assertSame(0, $status);
        self::assertMatchesRegularExpression('/^not run +test-first .*the sources are not to be had$/m', $summary);
        self::assertStringEndsWith("\n3 passed, 0 failed, 1 skipped", $summary);
    }

    public function test_only_the_tests_that_were_late_run_again_and_alone(): void
    {
        $this->records('test-first', 1, [self::ODD => Late::class, 'test_y' => Late::class, 'test_good' => null]);
        $this->records('test-first', 2, [self::ODD => null, 'test_y' => null]);
        file_put_contents("$this->folder/test-first.2.script", 'cp ends before');
        [$status, $summary] = $this->execute('gate');

        self::assertSame(0, $status);
        self::assertCount(4, file("$this->folder/before") ?: [], 'nothing runs beside');
        $calls = $this->calls();
        self::assertCount(5, $calls);
        [$suite, $rest] = explode('|', (string) end($calls), 2);
        self::assertSame('test-first', $suite);
        // As PHPUnit asks.
        $filter = substr($rest, 0, -strlen('|'));
        foreach ([self::ODD => 1, 'test_y' => 1, 'test_yy' => 0, 'test_good' => 0] as $name => $chosen) {
            self::assertSame($chosen, preg_match($filter, "A\\B::$name"), $name);
        }
        self::assertMatchesRegularExpression('/^passed late +test-first /m', $summary);
        $row = implode("\t", ['test-first', 'A\B::test_y', 'before try 1', 'tests/a/ATest.php:7', 'it failed']);
        self::assertStringContainsString($row, $summary);
        self::assertStringEndsWith("\n4 passed, 0 failed", $summary);
        self::assertFileExists("$this->folder/ci/test-first.log", 'the first try is kept');
        self::assertFileExists("$this->folder/ci/test-first.try1.log");
    }

    public function test_any_number_may_be_late(): void
    {
        $names = array_map(static fn (int $number): string => "test_$number", range(1, 40));
        $this->records('test-first', 1, array_fill_keys($names, Late::class));
        $this->records('test-first', 2, array_fill_keys($names, null));

        self::assertSame(0, $this->execute('gate')[0]);
    }

    public function test_who_is_late_again_and_again_has_failed(): void
    {
        foreach ([1, 2, 3, 4] as $try) {
            $this->records('test-second', $try, ['test_x' => Late::class]);
        }
        [$status, $summary] = $this->execute('gate');

        self::assertSame(70, $status);
        self::assertCount(7, $this->calls());
        self::assertStringContainsString('LATE, three times: test-second: A\B::test_x (tests/a/ATest.php:7)', $summary);
        self::assertStringEndsWith("\n3 passed, 1 failed", $summary);
    }

    /** @param array<string, string> $tests */
    #[TestWith([['test_x' => 'Other']], 'wrong alone')]
    #[TestWith([['test_x' => 'Other', 'test_y' => Late::class]], 'wrong and late')]
    public function test_what_is_wrong_has_one_try(array $tests): void
    {
        $this->records('test-beside', 1, $tests);
        [$status, $summary, $output] = $this->execute('gate');

        self::assertSame(13, $status, "10 and test-beside's place in the table");
        self::assertSame(1, $this->starts('test-beside'));
        self::assertStringContainsString("WRONG: test-beside: A\\B::test_x (tests/a/ATest.php:7)\n  | it failed", $summary);
        self::assertStringContainsString("again: tests/again 'B::test_x'", $summary);
        self::assertStringContainsString('test-beside.1 prints this', $output, 'its log');
        self::assertSame("13\n", file_get_contents("$this->folder/ci/status"));
    }

    public function test_after_what_is_wrong_nothing_new_is_started(): void
    {
        $this->records('test-first', 1, ['test_x' => 'Other']);
        // It runs when the other one has failed, and comes to its end.
        $script = 'until grep -qs "1 prints" ci/test-first.log; do sleep 0.02; done';
        file_put_contents("$this->folder/test-beside.1.script", $script);
        [$status, $summary] = $this->execute('gate');

        self::assertSame(11, $status);
        self::assertSame(0, $this->starts('test-second'));
        self::assertMatchesRegularExpression('/^passed +test-beside /m', $summary);
        self::assertMatchesRegularExpression('/^not started +test-second /m', $summary);
    }

    public function test_who_wants_to_know_all_goes_on(): void
    {
        $this->records('test-first', 1, ['test_x' => 'Other']);
        $this->environment = ['HOWDAH_KEEP_GOING' => '1'];
        [$status] = $this->execute('gate', 'test-first', 'test-second');

        self::assertSame(11, $status);
        self::assertSame(1, $this->starts('test-second'));
    }

    public function test_a_failure_is_told_when_it_happens(): void
    {
        $this->records('test-first', 1, ['test_x' => 'Other']);
        $events = "Test Prepared (A\\B::test_x)\nTest Failed (A\\B::test_x)\nit failed\n";
        file_put_contents("$this->folder/test-first.1.events", $events);
        $script = 'until grep -q "first: it failed" out; do sleep 0.02; done; echo seen';
        file_put_contents("$this->folder/test-first.1.script", $script);
        [, , $output] = $this->execute('gate');

        self::assertStringContainsString("seen\ntest-first.1 prints this", $output);
    }

    #[TestWith(["Test Considered Risky (A\\B::test_y)\n"], 'risky')]
    #[TestWith(["Test Triggered Warning (A\\B::test_y)\n"], 'warning')]
    #[TestWith(["Before First Test Method Errored (A\\B::setUpBeforeClass)\n"], 'before first')]
    public function test_what_is_wrong_beside_late_tests_is_no_matter_of_time(string $event): void
    {
        $this->records('test-first', 1, ['test_x' => Late::class]);
        file_put_contents("$this->folder/test-first.1.events", $event);

        self::assertSame(11, $this->execute('gate')[0]);
        self::assertSame(1, $this->starts('test-first'));
    }

    /** Of a choice that finds nothing, PHPUnit makes a failure, but of one that finds less than it should it does not. */
    public function test_a_second_try_that_leaves_some_out_has_failed(): void
    {
        $this->records('test-first', 1, ['test_x' => Late::class, 'test_y' => Late::class]);
        $this->records('test-first', 2, ['test_x' => null]);
        [$status, $summary] = $this->execute('gate');

        self::assertSame(11, $status);
        self::assertStringContainsString('1 of 2 tests were found again', $summary);
    }

    public function test_a_clock_may_be_late_too(): void
    {
        $this->records('test-clocks', 1, ['test_x' => Late::class]);
        $this->records('test-clocks', 2, ['test_x' => null]);
        [$status, $summary] = $this->execute('gate');

        self::assertSame(0, $status);
        self::assertMatchesRegularExpression('/^passed late +test-clocks /m', $summary);
    }

    public function test_where_no_test_is_named_the_last_lines_are_told(): void
    {
        file_put_contents("$this->folder/test-first.1.status", '2');
        [$status, $summary] = $this->execute('gate');

        self::assertSame(11, $status);
        self::assertStringContainsString("WRONG: test-first\n", $summary);
        self::assertStringContainsString('| test-first.1 prints this', $summary);
        self::assertStringContainsString('again: make test-first', $summary);
    }

    public function test_what_the_environment_lacks_is_not_your_change(): void
    {
        $script = "echo 'make[1]: *** [Makefile:7: test-second] Error 75'; exit 2";
        file_put_contents("$this->folder/test-second.1.script", $script);
        [$status, $summary] = $this->execute('gate');

        self::assertSame(75, $status);
        self::assertStringContainsString('ENVIRONMENT, not your change: test-second', $summary);
    }

    public function test_the_end_is_short(): void
    {
        $names = array_map(static fn (int $number): string => "test_$number", range(1, 40));
        $this->records('test-first', 1, array_fill_keys($names, 'Other'));
        [, $summary] = $this->execute('gate');

        $closing = explode("\n\n", $summary, 2)[1];
        self::assertLessThanOrEqual(32, substr_count($closing, "\n"));
        self::assertStringContainsString('... 40 findings in all: ', $closing);
    }

    public function test_the_other_release_gets_the_machine_for_itself(): void
    {
        file_put_contents("$this->folder/suites", self::TABLE . "\ntest-release other gate\n");
        $script = 'until [ -e ci/alone ]; do sleep 0.02; done; cat calls >before';
        file_put_contents("$this->folder/test-release.1.script", $script);

        self::assertSame(0, $this->execute('gate')[0]);
        self::assertCount(4, file("$this->folder/before") ?: [], 'all but the clocks');
    }

    /** timeout(1) makes a process group of its own. */
    public function test_what_a_suite_leaves_running_ends_with_it(): void
    {
        $script = "timeout 600 sh -c 'echo \$\$ >sleeper; exec sleep 654.4' & until [ -s sleeper ]; do sleep 0.02; done";
        file_put_contents("$this->folder/test-first.1.script", $script);

        self::assertSame(0, $this->execute('gate', 'test-first')[0]);
        $sleeper = (int) file_get_contents("$this->folder/sleeper");
        self::assertGreaterThan(1, $sleeper);
        $command = static fn (): string => (string) @file_get_contents("/proc/$sleeper/cmdline");
        self::assertTrue(Clock::await(static fn (): bool => !str_contains($command(), '654.4'), 'what it left ends'));
    }

    public function test_an_end_takes_all_along(): void
    {
        file_put_contents("$this->folder/test-first.1.script", 'sleep 654.3 & echo $! >sleeper; wait');
        $run = $this->start('gate');
        $read = fn (): int => (int) @file_get_contents("$this->folder/sleeper");
        $sleeper = Clock::await(static fn (): int|false => $read() ?: false, 'the suite runs');
        proc_terminate($run, SIGTERM);
        Clock::await(static fn (): bool => !proc_get_status($run)['running'], 'tests/run ends');
        // Its number may be another process's by now.
        $command = static fn (): string => (string) @file_get_contents("/proc/$sleeper/cmdline");
        Clock::await(static fn (): bool => !str_contains($command(), '654.3'), 'what the suite started ends');
        self::assertStringNotContainsString('654.3', $command());
    }

    /** @param array<string, ?string> $tests what was thrown, by the test's name */
    private function records(string $suite, int $try, array $tests): void
    {
        $cases = '';
        foreach ($tests as $name => $type) {
            $places = array_map(static fn (string $place): string => "/srv/howdah/tests/$place", [
                'clock/Clock.php:70', 'a/ATest.php:7', 'a/Base.php:1',
            ]);
            $fault = "A\\B::$name\nit failed\n\n" . implode("\n", $places);
            $cases .= sprintf(
                '<testcase name="%s" class="A\B">%s</testcase>',
                htmlspecialchars($name, ENT_XML1 | ENT_QUOTES),
                $type === null ? '' : sprintf('<failure type="%s">%s</failure>', $type, htmlspecialchars($fault, ENT_XML1)),
            );
        }
        $suites = "<testsuites><testsuite name=\"s\">$cases</testsuite></testsuites>";
        file_put_contents("$this->folder/$suite.$try.xml", "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n$suites\n");
        file_put_contents("$this->folder/$suite.$try.events", "Test Runner Started\n");
        file_put_contents("$this->folder/$suite.$try.status", array_filter($tests) === [] ? '0' : '2');
    }

    /** @return list<string> */
    private function calls(): array
    {
        return file("$this->folder/calls", FILE_IGNORE_NEW_LINES) ?: [];
    }

    /** How often a suite was started. */
    private function starts(string $suite): int
    {
        return count(array_filter($this->calls(), static fn (string $call): bool => str_starts_with($call, "$suite|")));
    }

    /** @return resource */
    private function start(string ...$arguments)
    {
        $own = [
            'MAKE' => "$this->folder/make",
            'HOWDAH_SUITES' => "$this->folder/suites",
            'HOWDAH_CI' => "$this->folder/ci",
        ];
        $others = ['HOWDAH_ONLY', 'HOWDAH_RECORD', 'HOWDAH_LONG', 'HOWDAH_OTHER', 'HOWDAH_KEEP_GOING', 'HOWDAH_ALONE'];
        $out = fopen("$this->folder/out", 'w');
        self::assertIsResource($out);
        $run = proc_open(
            [PHP_BINARY, dirname(__DIR__) . '/run', ...array_values($arguments)],
            [['file', '/dev/null', 'r'], $out, $out],
            $pipes,
            null,
            $this->environment + $own + array_diff_key(getenv(), array_flip($others)),
        );
        self::assertIsResource($run);

        return $run;
    }

    /** @return array{int, string, string} exit status, what it ends with, all of it */
    private function execute(string ...$arguments): array
    {
        $status = proc_close($this->start(...$arguments));
        $output = rtrim((string) file_get_contents("$this->folder/out"));

        return [$status, explode("\n==== summary\n", $output)[1] ?? '', $output];
    }
}
