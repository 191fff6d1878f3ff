<?php

/** What is started inside is given its part of the machine, and we ourselves are not. */

declare(strict_types=1);

namespace Howdah\BenchTests;

use Howdah\Bench\Machine\Allotment;
use Howdah\Bench\Server\Running;
use Howdah\Cli\Failure;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;

final class AllotmentTest extends TestCase
{
    private ?Allotment $allotment = null;

    protected function tearDown(): void
    {
        Running::give(null);
        $this->allotment?->end();
        self::assertSame([], self::madeGroups(), 'control groups are left');
    }

    public function test_a_server_has_the_processors_that_it_is_given(): void
    {
        $ours = self::processors((int) getmypid());
        $allotment = $this->allotment(1, null);
        if ($allotment === null) {
            return;
        }
        Running::give($allotment);
        $server = new FakeServer();
        try {
            $server->start();
            $its = self::processors($server->processes()[0]);
        } finally {
            $server->stop();
        }

        self::assertMatchesRegularExpression('/^\d+$/D', $its);
        self::assertStringContainsString("1 of the processors ($its)", $allotment->describe());
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
        $allotment = $this->allotment(null, '128M');
        if ($allotment === null) {
            return;
        }

        self::assertSame('32', $allotment->inside(static fn (): string => $run(32)));
        self::assertSame('', $allotment->inside(static fn (): string => $run(512)));
        self::assertSame('512', $run(512));
    }

    /** @return iterable<string, array{int|null, string|null, string}> */
    public static function mistakes(): iterable
    {
        yield 'more processors than there are' => [5000, null, '--cpus=5000: there are '];
        yield 'no size' => [null, 'much', '--memory=much: a size is wanted'];
        yield 'nothing' => [null, '0', '--memory=0: a size is wanted'];
    }

    #[DataProvider('mistakes')]
    public function test_what_cannot_be_given_is_named(?int $processors, ?string $memory, string $message): void
    {
        $this->expectException(Failure::class);
        $this->expectExceptionMessage($message);
        Allotment::of($processors, $memory);
    }

    /** Null where nobody may make control groups (a container): then it has to be said how to do without. */
    private function allotment(?int $processors, ?string $memory): ?Allotment
    {
        try {
            return $this->allotment = Allotment::of($processors, $memory);
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
        return glob('/sys/fs/cgroup/{,*/}howdah-bench-' . getmypid(), GLOB_BRACE) ?: [];
    }
}
