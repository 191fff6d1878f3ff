<?php

declare(strict_types=1);

namespace Howdah\Tests\Runner;

use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;

/** tests/run with a `make` that fails as it is told: what runs again, how it ends, and what the last lines name. */
final class RunTest extends TestCase
{
    /** A failure whose name has all that means something in a pattern. */
    private const ODD = 'test_x with data set "a "q" (x|y), $1 & ~mode/é"';

    private string $folder;

    protected function setUp(): void
    {
        $this->folder = sys_get_temp_dir() . '/howdah-runner-' . bin2hex(random_bytes(6));
        mkdir($this->folder);
        file_put_contents("$this->folder/make", <<<'SH'
            #!/bin/bash
            # Is called as: make --no-print-directory TARGET
            cd "$(dirname "$0")" || exit
            [ ! -e "$2.once" ] || number=.again
            touch "$2.once"
            printf '%s %s\n' "$2" "${HOWDAH_ONLY:-all}" >>calls
            for record in xml events; do [ ! -e "$2$number.$record" ] || cp "$2$number.$record" "$HOWDAH_RECORD.$record"; done
            echo "$2 prints this"
            exit "$(cat "$2$number.status" 2>/dev/null || echo 0)"
            SH);
        chmod("$this->folder/make", 0700);
    }

    protected function tearDown(): void
    {
        exec('rm -rf ' . escapeshellarg($this->folder));
    }

    public function test_all_is_well(): void
    {
        [$status, $summary] = $this->execute('test-http', 'test-engine');

        self::assertSame(0, $status);
        $expected = '/^passed +test-http +\d+ s\npassed +test-engine +\d+ s\n\n2 passed, 0 failed$/D';
        self::assertMatchesRegularExpression($expected, $summary);
    }

    #[DataProvider('ways')]
    public function test_what_says_that_it_was_not_run_has_not_passed(string $beside): void
    {
        $make = "$this->folder/make";
        file_put_contents($make, "\n[ \"\$2\" != test-phpt ] || echo 'NOT RUN: the sources are not to be had'\n", FILE_APPEND);
        file_put_contents($make, str_replace('exit "$(cat', 'status="$(cat', (string) file_get_contents($make)));
        [$status, $summary] = $this->execute('test-http', 'test-phpt', "HOWDAH_BESIDE=$beside");

        self::assertSame(0, $status);
        $expected = '/^passed +test-http +\d+ s\nNOT RUN +test-phpt +\d+ s\n'
            . 'test-phpt: NOT RUN: the sources are not to be had\n\n1 passed, 0 failed, 1 skipped$/D';
        self::assertMatchesRegularExpression($expected, $summary);
    }

    #[DataProvider('ways')]
    public function test_only_the_tests_that_were_late_run_again(string $beside): void
    {
        $this->fails('test-http', [self::ODD, 'test_y']);
        $this->passes('test-http.again', [self::ODD, 'test_y']);
        [$status, $summary, $output] = $this->execute('test-http', 'test-cli', ...['HOWDAH_TRIES=2', "HOWDAH_BESIDE=$beside"]);

        self::assertSame(0, $status);
        self::assertSame(1, substr_count($output, 'test-http prints this'), 'what the first try printed');
        $calls = $this->calls();
        self::assertCount(3, $calls);
        // As PHPUnit asks.
        $filter = substr($calls[2], strlen('test-http '));
        foreach (['A\B::' . self::ODD => 1, 'A\B::test_y' => 1, 'A\B::test_yy' => 0, 'A\B::xtest_y' => 0] as $name => $chosen) {
            self::assertSame($chosen, preg_match($filter, $name), $name);
        }
        self::assertStringContainsString('passed at try 2 test-http', $summary);
        self::assertStringContainsString('A\B::' . self::ODD . ': is late (tests/http/ATest.php:7)', $summary);
        self::assertStringEndsWith("\n2 passed, 0 failed", $summary);
    }

    public function test_more_than_so_many_at_the_second_try_fail_the_run(): void
    {
        $names = static fn (int $count): array => array_map(static fn (int $i): string => "test_$i", range(1, $count));
        foreach (['test-http' => 4, 'test-waiting' => 4, 'test-bench' => 1] as $target => $count) {
            $this->fails($target, $names($count));
            $this->passes("$target.again", $names($count));
        }
        [$status, $summary] = $this->execute('test-http', 'test-waiting', 'HOWDAH_TRIES=2');
        self::assertSame(0, $status);
        self::assertStringContainsString("\n8 tests passed at the second try only; 8 may\n", $summary);

        array_map(unlink(...), glob("$this->folder/*.once") ?: []);
        [$status, $summary] = $this->execute('test-http', 'test-waiting', 'test-bench', 'HOWDAH_TRIES=2');
        self::assertSame(1, $status);
        self::assertStringContainsString("\n9 tests passed at the second try only; 8 may\n", $summary);
    }

    /** @return array<string, array{string}> */
    public static function ways(): array
    {
        return ['in turn' => [''], 'side by side' => ['1']];
    }

    public function test_who_fails_again_has_failed(): void
    {
        $this->fails('test-http', ['test_x']);
        $this->fails('test-http.again', ['test_x']);

        $output = $this->assertFails(['test-http all', 'test-http ~^(A\\\\B\:\:test_x)$~D'], 'test-http');
        self::assertSame(2, substr_count($output, 'test-http prints this'));
    }

    /** Of a choice that finds nothing, PHPUnit makes a failure, but of one that finds less than it should it does not. */
    public function test_a_second_try_that_leaves_some_out_has_failed(): void
    {
        $this->fails('test-waiting', ['test_x', 'test_y']);
        $this->passes('test-waiting.again', ['test_x']);

        $this->assertFails(2, 'test-waiting');
    }

    public function test_many_are_not_late(): void
    {
        $this->fails('test-http', array_map(static fn (int $i): string => "test_$i", range(1, 11)));

        $this->assertFails(1, 'test-http');
    }

    public function test_a_warning_beside_it_is_no_matter_of_time(): void
    {
        $this->fails('test-http', ['test_x'], "Test Prepared (A\\B::test_x)\nTest Considered Risky (A\\B::test_y)\n");

        $this->assertFails(1, 'test-http');
    }

    public function test_what_proves_isolation_has_one_try(): void
    {
        $this->fails('test-engine', ['test_x']);

        $this->assertFails(1, 'test-engine');
    }

    public function test_where_no_test_is_named_the_last_lines_are_told(): void
    {
        file_put_contents("$this->folder/test-http.status", '2');
        [, $summary] = $this->execute('test-http', 'HOWDAH_TRIES=2');

        self::assertStringContainsString('| test-http prints this', $summary);
        $this->assertFails(1, 'test-http');
    }

    /**
     * @param  int|list<string> $calls of make, or how many
     * @return string           what is printed
     */
    private function assertFails(int|array $calls, string $target): string
    {
        array_map(unlink(...), glob("$this->folder/{calls,*.once}", GLOB_BRACE) ?: []);
        [$status, $summary, $output] = $this->execute($target, 'HOWDAH_TRIES=2');

        self::assertSame(1, $status);
        is_int($calls) ? self::assertCount($calls, $this->calls()) : self::assertSame($calls, $this->calls());
        self::assertMatchesRegularExpression("/^FAILED +$target /", $summary);
        self::assertStringContainsString("\nFAILED: $target\n", $summary);
        self::assertStringEndsWith("\n0 passed, 1 failed: $target", $summary);
        self::assertStringContainsString("\nFAILED: $target", $output, 'where it happens, too');

        return $output;
    }

    /** @param list<string> $tests */
    private function fails(string $call, array $tests, string $events = ''): void
    {
        $this->record($call, $tests, "<failure>A\\B::test_x\nis late\n\n/srv/howdah/tests/http/ATest.php:7\n</failure>");
        file_put_contents("$this->folder/$call.events", $events . "Test Passed (A\\B::test_z)\n");
        file_put_contents("$this->folder/$call.status", '2');
    }

    /** @param list<string> $tests */
    private function passes(string $call, array $tests): void
    {
        $this->record($call, $tests, '');
        file_put_contents("$this->folder/$call.status", '0');
    }

    /** @param list<string> $tests */
    private function record(string $call, array $tests, string $fault): void
    {
        $cases = array_map(static fn (string $test): string => sprintf(
            '<testcase name="%s" class="A\B">%s</testcase>',
            htmlspecialchars($test, ENT_XML1 | ENT_QUOTES),
            $fault,
        ), $tests);
        $suites = '<testsuites><testsuite name="s">' . implode('', $cases) . '</testsuite></testsuites>';
        file_put_contents("$this->folder/$call.xml", "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n$suites\n");
    }

    /** @return list<string> */
    private function calls(): array
    {
        return file("$this->folder/calls", FILE_IGNORE_NEW_LINES) ?: [];
    }

    /** @return array{int, string, string} exit status, what it ends with, all of it */
    private function execute(string ...$arguments): array
    {
        $settings = array_filter($arguments, static fn (string $one): bool => str_contains($one, '='));
        $command = [
            'env', '-u', 'HOWDAH_TRIES', '-u', 'HOWDAH_BESIDE', '-u', 'HOWDAH_ONLY', '-u', 'HOWDAH_RECORD',
            "MAKE=$this->folder/make", ...$settings, dirname(__DIR__) . '/run', ...array_diff($arguments, $settings),
        ];
        exec(implode(' ', array_map(escapeshellarg(...), $command)) . ' 2>&1', $lines, $status);
        $output = implode("\n", $lines);
        self::assertSame(1, substr_count($output, "\n==== summary\n"), $output);

        return [$status, explode("\n==== summary\n", $output)[1], $output];
    }
}
