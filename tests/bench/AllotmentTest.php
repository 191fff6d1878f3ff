<?php

/** What is started inside is given its part of the machine, and we ourselves are not. */

declare(strict_types=1);

namespace Howdah\BenchTests;

use Howdah\Bench\Machine\Allotments;
use Howdah\Bench\Server\Running;
use Howdah\Cli\Failure;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;

final class AllotmentTest extends TestCase
{
    private ?Allotments $allotments = null;

    protected function tearDown(): void
    {
        Running::give(null);
        $this->allotments?->end();
        self::assertSame([], self::madeGroups(), 'control groups are left');
    }

    public function test_a_server_has_the_processors_that_it_is_given(): void
    {
        $ours = self::processors((int) getmypid());
        $allotments = $this->allotments('1');
        if ($allotments === null) {
            return;
        }
        Running::give($allotments);
        $server = new FakeServer();
        try {
            $server->start();
            $its = self::processors($server->processes()[0]);
        } finally {
            $server->stop();
        }

        self::assertMatchesRegularExpression('/^\d+$/D', $its);
        self::assertStringContainsString('1 of the processors for each', $allotments->describe());
        self::assertSame($ours, self::processors((int) getmypid()), 'ours');
    }

    public function test_who_needs_more_memory_is_killed_and_nobody_else(): void
    {
        $eat = '$text = str_repeat("x", $argv[1] << 20); echo strlen($text) >> 20;';
        $run = static function (int $megabytes) use ($eat): string {
            $command = [PHP_BINARY, '-n', '-dmemory_limit=-1', '-r', $eat, (string) $megabytes];
            exec(implode(' ', array_map(escapeshellarg(...), $command)) . ' 2>/dev/null', $lines);

            return implode($lines);
        };
        $allotments = $this->allotments('all', '128M');
        if ($allotments === null) {
            return;
        }

        self::assertSame('32', $allotments->start(1, static fn (): string => $run(32)));
        self::assertSame('', $allotments->start(1, static fn (): string => $run(512)));
        self::assertSame('512', $run(512));
    }

    /** Suites that compare rates have all servers running at once. */
    public function test_each_server_has_its_memory_for_itself(): void
    {
        $allotments = $this->allotments('all', '128M');
        if ($allotments === null) {
            return;
        }
        $eat = '$text = str_repeat("x", 80 << 20); echo "eaten\n"; fgets(STDIN); echo "alive";';
        $ends = $said = [];
        foreach ([0, 1] as $number) {
            $pipes = [];
            $process = $allotments->start(1, static function () use ($eat, &$pipes): mixed {
                $command = [PHP_BINARY, '-n', '-dmemory_limit=-1', '-r', $eat];

                return proc_open($command, [['pipe', 'r'], ['pipe', 'w']], $pipes);
            });
            self::assertIsResource($process);
            $ends[$number] = [$process, ...$pipes];
            $said[$number] = fgets($pipes[1]);
        }
        foreach ($ends as $number => [$process, $in, $out]) {
            @fwrite($in, "\n");
            $said[$number] .= stream_get_contents($out);
            proc_close($process);
        }

        self::assertSame(["eaten\nalive", "eaten\nalive"], $said);
    }

    public function test_more_workers_have_more_processors_as_far_as_there_are(): void
    {
        $allotments = $this->allotments('1');
        if ($allotments === null) {
            return;
        }
        $count = static fn (): string => (string) exec('nproc');

        self::assertSame('1', $allotments->start(1, $count));
        self::assertSame((string) min(2, (int) $count()), $allotments->start(2, $count));
        self::assertSame($count(), $allotments->start(5000, $count));
    }

    /** @return iterable<string, array{string, string|null, string}> */
    public static function mistakes(): iterable
    {
        yield 'no number of processors' => ['some', null, '--cpus=some: it has to be a number'];
        yield 'no processor' => ['0', null, '--cpus=0: it has to be a number'];
        yield 'no size' => ['all', 'much', '--memory=much: a size is wanted'];
        yield 'nothing' => ['all', '0', '--memory=0: a size is wanted'];
    }

    #[DataProvider('mistakes')]
    public function test_what_cannot_be_given_is_named(string $processors, ?string $memory, string $message): void
    {
        $this->expectException(Failure::class);
        $this->expectExceptionMessage($message);
        Allotments::of($processors, $memory);
    }

    /** Null where nobody may make control groups (a container): then it has to be said how to do without. */
    private function allotments(string $processors, ?string $memory = null): ?Allotments
    {
        try {
            return $this->allotments = Allotments::of($processors, $memory);
        } catch (Failure $failure) {
            fwrite(STDERR, "AllotmentTest: only the refusal was tested: {$failure->getMessage()}\n");
            self::assertStringContainsString('leave --cpus and --memory out', $failure->getMessage());

            return null;
        }
    }

    private static function processors(int $pid): string
    {
        preg_match('/^Cpus_allowed_list:\s*(\S+)$/m', (string) file_get_contents("/proc/$pid/status"), $match);

        return $match[1] ?? 'unknown';
    }

    /** @return list<string> */
    private static function madeGroups(): array
    {
        return glob('/sys/fs/cgroup/{,*/}howdah-bench-' . getmypid() . '-*', GLOB_BRACE) ?: [];
    }
}
