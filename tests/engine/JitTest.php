<?php

declare(strict_types=1);

namespace Howdah\Tests\Engine;

use Howdah\Tests\Clock;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;

/**
 * opcache's JIT, as it may run here (docs/jit.md): answers stay right while realms switch in the middle of compiled code.
 */
final class JitTest extends TestCase
{
    /**
     * The last two compile the same: in the other release's root one of them tells what its compiler makes.
     *
     * @return array<string, array{string}>
     */
    public static function kinds(): array
    {
        $kinds = ['traces' => [self::traces()], 'functions, as scripts are loaded' => ['1005']];

        return getenv('HOWDAH_OTHER') === false ? $kinds + ['functions, as they become hot' => ['1035']] : $kinds;
    }

    /** What opcache.jit=tracing becomes. */
    private static function traces(): string
    {
        return PHP_VERSION_ID < 80400 ? 'tracing' : '1054';
    }

    /** @return list<string> */
    private static function jit(string $kind): array
    {
        // What was written a moment ago is compiled too.
        return ["--ini=opcache.jit={$kind}", '--ini=opcache.jit_buffer_size=64M', '--ini=opcache.file_update_protection=0'];
    }

    /** A third of them, but for `make test-long`: each is as likely as the next one to be interrupted in a wrong place. */
    private static function requests(int $long): string
    {
        return '--requests=' . (getenv('HOWDAH_LONG') ? $long : intdiv($long, 3));
    }

    #[DataProvider('kinds')]
    public function testAnswersAreRightWhereCompiledCodeWaits(string $kind): void
    {
        foreach (['--chaos=5', '--slice=0', '--slice=10'] as $how) {
            $options = [$how, '--quiet', self::requests(300), '--at-once=16', '--query=n=%d', '--expect=right %d'];
            $run = Runner::run('jit-kinds.php', [...self::jit($kind), ...$options]);
            self::assertSame(0, $run->exit, substr($run->err, 0, 2000));
            self::assertStringNotContainsString('not safe', $run->err);
        }
    }

    #[DataProvider('kinds')]
    public function testAnswersAreRightWhereCompiledLoopsAreInterrupted(string $kind): void
    {
        $options = ['--quiet', self::requests(200), '--at-once=16', '--query=n=%d', '--expect=right %d'];
        $run = Runner::run('jit-loops.php', [...self::jit($kind), ...$options]);
        self::assertSame(0, $run->exit, substr($run->err, 0, 2000));
    }

    #[DataProvider('kinds')]
    public function testACompiledLoopLetsOthersRunAfterASlice(string $kind): void
    {
        $options = ['--requests=4', '--at-once=4', '--query=do=order&n=%d'];
        self::assertSame('1 2 3 0 ', Runner::run('jit-loops.php', [...self::jit($kind), ...$options])->out);
        self::assertSame('0 1 2 3 ', Runner::run('jit-loops.php', [...self::jit($kind), '--slice=0', ...$options])->out);
    }

    #[DataProvider('kinds')]
    public function testATimeLimitEndsACompiledLoop(string $kind): void
    {
        // That each realm has a second of its own, WaitTest and ClassicTest find.
        $options = ['--head', '--ini=display_errors=0', '--query=do=spin&n=%d'];
        $run = Runner::run('jit-loops.php', [...self::jit($kind), ...$options]);
        self::assertSame(1, substr_count($run->err, 'Maximum execution time of 1 second exceeded'), $run->err);
        self::assertSame(1, substr_count($run->out, 'Status: 500'));
        Clock::assertAtMost(100.0, $run->seconds, 'a second');
    }

    #[DataProvider('kinds')]
    public function testRecursionThroughCCodeEndsOneRequest(string $kind): void
    {
        $options = ['--quiet', '--requests=100', '--at-once=8', '--query=n=%d', '--expect-part=ok'];
        $run = Runner::run('overflow.php', [...self::jit($kind), ...$options]);
        self::assertSame(0, $run->exit, $run->err);
        self::assertSame(50, substr_count($run->err, 'Maximum call stack size'), 'once in the script, once at its end');
    }

    #[DataProvider('kinds')]
    public function testAResetUnderLoadTakesNobodysCodeAway(string $kind): void
    {
        $options = ['--quiet', self::requests(3000), '--at-once=16', '--query=n=%d', '--expect=ok'];
        $run = Runner::run('reset.php', [...self::jit($kind), ...$options]);
        self::assertSame(0, $run->exit, substr($run->err, 0, 2000));
    }

    #[DataProvider('kinds')]
    public function testARequestThatTurnsItOffDoesSoForItself(string $kind): void
    {
        $options = ['--quiet', '--requests=200', '--at-once=16', '--query=n=%d', '--expect=own', ...self::jit($kind)];
        $run = Runner::run('jit-setting.php', $options);
        self::assertSame(0, $run->exit, substr($run->err, 0, 2000));
        $shared = Runner::run('jit-setting.php', [...$options, '--without-block=jit_globals']);
        self::assertSame(1, $shared->exit, 'with the block shared this test notices');
    }

    public function testACompilationThatRunsOutOfMemoryLeavesCompiledCodeUsable(): void
    {
        // Limits that one compilation exceeds, but not twice: where it does, PHP ends the process since 8.2.36 and 8.4.28.
        // 8.4's compiler needs more.
        foreach (PHP_VERSION_ID < 80400 ? [21, 24, 27, 30] : [80, 90, 110, 140] as $megabytes) {
            $options = ['--requests=2', '--ini=display_errors=0', "--query=megabytes={$megabytes}", '--expect-part=end 499500'];
            $run = Runner::run('jit-memory.php', [...self::jit('1005'), ...$options]);
            self::assertSame(0, $run->exit, "{$megabytes} MB: {$run->err}");
        }
    }

    public function testWhatCompilingHasUsedOfARealmsStacksAndHeapGoesBackToTheKernel(): void
    {
        $resident = [];
        $file = self::hotFile();
        foreach (['without' => 'disable', 'with' => self::traces()] as $name => $kind) {
            $options = ['--mode=worker', '--memory', '--quiet', '--requests=400', '--query=n=%d', '--expect=ok'];
            $many = ['--realms=31', '--warm=31', '--at-once=31'];
            $settings = [...self::jit($kind), '--ini=opcache.jit_hot_loop=8', '--ini=opcache.jit_hot_side_exit=4'];
            $all = [...$settings, ...$options, ...$many];
            $run = Runner::run('jit-litter-worker.php', $all, [], ['HOWDAH_TEST_HOT' => $file]);
            self::assertSame(0, $run->exit, substr($run->err, 0, 2000));
            $resident[$name] = $run->figure('late');
        }
        unlink($file);
        // 84, and 199 where nothing is given back: a compiler's heap and stack, and 52 KB of zeros that PHP makes for a JIT.
        $more = ($resident['with'] - $resident['without']) / 31;
        self::assertLessThan(130, $more, 'KiB more for each realm than without a JIT: ' . json_encode($resident));
    }

    /** A hundred that loop, with as many traces and more. */
    private static function hotFunctions(): string
    {
        $part = '$sum += is_string($one) ? strlen($one . %2$d) : ($all[$key] = $one * %2$d + $sum %% ($key + 1)); ';
        $code = "<?php\n";
        for ($i = 0; $i < 100; $i++) {
            $parts = implode('', array_map(static fn(int $n): string => sprintf($part, $i, $n), range(1, 20)));
            $code .= "function hot_{$i}(array \$all): int { \$sum = {$i}; foreach (\$all as \$key => \$one) { {$parts}}\n"
                . "return \$sum; }\n";
        }

        return $code;
    }

    public function testARealmThatIsRewoundWhileItRecordsATraceRecordsOthers(): void
    {
        $file = self::hotFile();
        // The loop of the script is the first that is hot: its recording never ends, since each request begins before it.
        $options = ['--mode=worker', '--realms=1', '--requests=100', '--query=n=%d', '--rewind', ...self::jit(self::traces())];
        $options[] = '--ini=opcache.jit_hot_loop=3';
        $rewound = Runner::run('jit-rewind.php', $options, [], ['HOWDAH_TEST_HOT' => $file]);
        $options[] = '--rewind-without=jit_globals';
        $shared = Runner::run('jit-rewind.php', $options, [], ['HOWDAH_TEST_HOT' => $file]);
        unlink($file);
        if (PHP_VERSION_ID >= 80400) {
            self::assertStringContainsString('cannot be rewound: opcache.jit is on', $rewound->err);

            return;
        }
        self::assertStringNotContainsString('cannot be rewound', $rewound->err);
        $bytes = array_map(intval(...), explode("\n", trim($rewound->out)));
        self::assertCount(100, $bytes, $rewound->err);
        self::assertGreaterThan($bytes[50], $bytes[99], 'compiled code, as there is more and more to compile');
        $bytes = array_map(intval(...), explode("\n", trim($shared->out)));
        self::assertSame($bytes[50], $bytes[99], 'with the block left as it is this test notices');
    }

    private static function hotFile(): string
    {
        $file = sys_get_temp_dir() . '/howdah-hot-' . bin2hex(random_bytes(6)) . '.php';
        file_put_contents($file, self::hotFunctions());

        return $file;
    }

    public function testAKindThatLosesVariablesIsReplacedWithOneWarning(): void
    {
        $expected = ['function' => '1035', '1205' => '1005', '1135' => '1035', '205' => '0005'];
        if (PHP_VERSION_ID >= 80400) {
            $expected += ['tracing' => '1054', 'on' => '1054'];
        }
        foreach ($expected as $asked => $used) {
            $run = Runner::run('echo.php', self::jit((string) $asked));
            // The ini scanner makes 1 of "on".
            $said = $asked === 'on' ? '1' : $asked;
            self::assertSame(1, substr_count($run->err, "opcache.jit={$said} is not safe here"), $run->err);
            self::assertStringContainsString("opcache.jit={$used} is used instead", $run->err);
        }
    }

    public function testNobodyIsWarnedWhoAskedForNoJit(): void
    {
        $unused = [
            [],
            ['--ini=opcache.jit=function', '--ini=opcache.jit_buffer_size=0'],
            ['--ini=opcache.jit=function', '--ini=opcache.jit_buffer_size=64M', '--ini=opcache.enable=0'],
            self::jit('off'),
            self::jit('disable'),
        ];
        foreach ($unused as $settings) {
            self::assertStringNotContainsString('opcache.jit', Runner::run('echo.php', $settings)->err);
        }
    }

    public function testScriptsCannotAskForAKindThatLosesVariables(): void
    {
        $options = ['--requests=20', '--expect=false kept', '--ini=display_errors=0'];
        $run = Runner::run('jit-refused.php', [...self::jit('1005'), ...$options]);
        self::assertSame(0, $run->exit, $run->out . $run->err);
        self::assertSame(20, substr_count($run->err, 'opcache.jit=function loses variables'), $run->err);
    }
}
