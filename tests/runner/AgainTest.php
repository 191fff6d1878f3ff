<?php

declare(strict_types=1);

namespace Howdah\Tests\Runner;

use Howdah\Tests\Clock;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;

/** tests/again, whose `make` is one of ours: nothing that it started outlives it, however it ends. */
final class AgainTest extends TestCase
{
    private string $folder;

    protected function setUp(): void
    {
        $this->folder = sys_get_temp_dir() . '/howdah-again-' . bin2hex(random_bytes(6));
        mkdir($this->folder);
        file_put_contents("$this->folder/make", <<<'SH'
            #!/bin/sh
            # Fails where nobody waits for it any more.
            tail --sleep-interval=0.02 --pid=$PPID --follow "$0" >/dev/null &
            echo $! >"$(dirname "$0")/pid"
            mv "$(dirname "$0")/pid" "$(dirname "$0")/made"
            wait
            exit 1
            SH);
        chmod("$this->folder/make", 0700);
    }

    protected function tearDown(): void
    {
        exec('rm -rf ' . escapeshellarg($this->folder));
    }

    #[TestWith([SIGTERM], 'SIGTERM')]
    #[TestWith([SIGKILL], 'SIGKILL')]
    public function test_loops_and_tests_end_with_it(int $signal): void
    {
        $again = $this->again('--load=2');
        $started = self::children(proc_get_status($again)['pid']);
        self::assertCount(3, $started, 'two loops, and make');
        proc_terminate($again, $signal);
        proc_close($again);

        $left = static fn (): array => array_filter($started, self::lives(...));
        self::assertTrue(Clock::await(static fn (): bool => $left() === [], 'what it started ends'));
    }

    /** Nobody else's processes stand still; and what does goes on when there is nobody left to wait for it. */
    #[TestWith([SIGTERM], 'SIGTERM')]
    #[TestWith([SIGKILL], 'SIGKILL')]
    public function test_what_stands_still_goes_on_with_the_end(int $signal): void
    {
        $others = self::starts();
        $again = $this->again('--stall');
        $tail = (int) file_get_contents("$this->folder/made");
        $stalls = fn (): string => implode(array_map(file_get_contents(...), glob("$this->folder/ci/*.stalls") ?: []));
        self::assertTrue(Clock::await(static fn (): bool => self::state($tail) === 'T', $stalls));
        $started = [$tail, ...self::children(proc_get_status($again)['pid'])];
        self::assertCount(3, $started, 'tail, make and who stops it');
        proc_terminate($again, $signal);
        proc_close($again);

        $left = static fn (): array => array_filter($started, self::lives(...));
        self::assertTrue(Clock::await(static fn (): bool => $left() === [], 'what it started ends'));
        self::assertGreaterThan(0, preg_match_all('/: (\d+) stands still/', $stalls(), $stopped), $stalls());
        $others = array_intersect_assoc($others, self::starts());
        self::assertSame([], array_values(array_intersect($stopped[1], array_keys($others))), $stalls());
    }

    /** @return resource tests/again, which waits for our `make` */
    private function again(string $option): mixed
    {
        $out = fopen("$this->folder/out", 'w');
        self::assertIsResource($out);
        $again = proc_open(
            [dirname(__DIR__) . '/again', 'AgainTest::test_loops_and_tests_end_with_it', $option],
            [['file', '/dev/null', 'r'], $out, $out],
            $pipes,
            null,
            ['MAKE' => "$this->folder/make", 'HOWDAH_CI' => "$this->folder/ci"] + getenv(),
        );
        self::assertIsResource($again);
        $told = fn (): string => (string) file_get_contents("$this->folder/out");
        self::assertTrue(Clock::await(fn (): bool => is_file("$this->folder/made"), $told));

        return $again;
    }

    /** @return list<int> */
    private static function children(int $parent): array
    {
        $files = glob('/proc/[0-9]*/stat') ?: [];
        $mine = array_filter($files, static fn (string $file): bool => (self::fields($file)[2] ?? '') === (string) $parent);

        return array_map(static fn (string $file): int => (int) basename(dirname($file)), array_values($mine));
    }

    private static function lives(int $process): bool
    {
        return !in_array(self::state($process), ['X', 'Z'], true);
    }

    private static function state(int $process): string
    {
        return self::fields("/proc/$process/stat")[1] ?? 'X';
    }

    /** @return array<int, string> when each process started, by number */
    private static function starts(): array
    {
        $starts = [];
        foreach (glob('/proc/[0-9]*/stat') ?: [] as $file) {
            $starts[(int) basename(dirname($file))] = self::fields($file)[20] ?? '';
        }

        return $starts;
    }

    /** @return list<string> what is behind the name: state, parent, ... */
    private static function fields(string $file): array
    {
        return explode(' ', (string) strrchr((string) @file_get_contents($file), ')'));
    }
}
