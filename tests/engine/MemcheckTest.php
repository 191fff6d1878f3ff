<?php

declare(strict_types=1);

namespace Howdah\Tests\Engine;

use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;

/**
 * Realms live and die under valgrind, with all extensions of the machine in both modes, and else with those that a script uses:
 * to load the others takes longer than the test.
 */
#[Group('memory')]
final class MemcheckTest extends TestCase
{
    private const VALGRIND = [
        'valgrind',
        '--quiet',
        '--error-exitcode=9',
        '--leak-check=full',
        '--errors-for-leak-kinds=definite',
        '--num-callers=30',
        '--suppressions=' . __DIR__ . '/../valgrind.supp',
    ];

    /**
     * Every allocation of PHP is one that valgrind sees. Extensions stay loaded: what dom's statics hold since PHP 8.4 (and
     * never free) would count as lost, and no stack would name an extension's function.
     */
    private const ENVIRONMENT = ['USE_ZEND_ALLOC' => '0', 'ZEND_DONT_UNLOAD_MODULES' => '1'];

    /**
     * Several scripts and several ends of a request in one run, as most of what it takes is its start: code that valgrind has
     * not seen.
     */
    #[TestWith(['classic', 'in-turn.php', 'way=poll&n=%d'], 'classic')]
    #[TestWith(['worker', 'worker.php', 'do=in-turn&n=%d'], 'worker')]
    public function testValgrindFindsNothing(string $mode, string $script, string $query): void
    {
        $run = Runner::run($script, [
            "--mode={$mode}",
            '--quiet',
            '--requests=120',
            '--at-once=8',
            '--max-requests=3',
            '--chaos=5',
            "--query={$query}",
        ], self::VALGRIND, self::ENVIRONMENT);
        self::assertSame(0, $run->exit, substr($run->err, 0, 6000));
    }

    /**
     * Successors, cycles that are collected in idle realms, realms that are let go, a worker above its ceiling.
     */
    #[TestWith(['--max-requests=7', '[notice] destroyed'], '--max-requests=7')]
    #[TestWith(['--idle-timeout=200', '[notice] destroyed'], '--idle-timeout=200')]
    #[TestWith(['--worker-memory=1', 'above howdah_worker_memory'], '--worker-memory=1')]
    public function testValgrindFindsNothingWhereRealmsComeAndGo(string $option, string $log): void
    {
        $run = Runner::run('cycles-worker.php', [
            '--mode=worker',
            '--realms=8',
            '--warm=2',
            '--requests=60',
            '--at-once=6',
            '--query=n=%d',
            '--expect=ok',
            '--quiet',
            $option,
        ], self::VALGRIND, self::ENVIRONMENT, []);
        self::assertSame(0, $run->exit, substr($run->err, 0, 6000));
        self::assertStringContainsString($log, $run->err);
    }

    #[TestWith(['classic', 'wait.php', 'way=usleep'], 'classic')]
    #[TestWith(['worker', 'worker.php', 'do=exit'], 'worker')]
    public function testValgrindFindsNothingWhereTheLimitAdaptsItself(string $mode, string $script, string $query): void
    {
        $run = Runner::run($script, [
            "--mode={$mode}",
            '--quiet',
            '--realms=24',
            '--adaptive=1',
            '--requests=120',
            '--at-once=40',
            '--max-requests=9',
            "--query={$query}",
        ], self::VALGRIND, self::ENVIRONMENT, []);
        self::assertSame(0, $run->exit, substr($run->err, 0, 6000));
    }

    /**
     * The audit, the judgement of an unknown extension, and the watch, which finds something in the second one.
     */
    #[TestWith(['clean', 0], 'clean')]
    #[TestWith(['made', 3], 'made')]
    public function testValgrindFindsNothingInTheAudit(string $extension, int $exit): void
    {
        $run = Runner::run('extension.php', [
            '--quiet',
            '--audit',
            '--requests=12',
            '--at-once=8',
            '--max-requests=3',
            '--ini=extension=' . realpath(__DIR__ . "/../../build/extension/{$extension}.so"),
            "--query=do={$extension}&n=%d",
        ], self::VALGRIND, self::ENVIRONMENT, []);
        self::assertSame($exit, $run->exit, substr($run->err, 0, 6000));
    }

    /**
     * The hooks' own memory: waiters on stacks, jobs of threads, tables of children.
     */
    public function testValgrindFindsNothingInCallsThatWait(): void
    {
        $calls = ['cond_ping', 'semaphore', 'popen_read', 'host_r', 'host_static', 'addrinfo', 'reused', 'epoll'];
        $run = Runner::run('calls.php', [
            '--quiet',
            '--requests=' . 4 * count($calls),
            '--at-once=4',
            '--ini=ffi.enable=1',
            '--header=HTTP_X_LIBRARY=' . realpath(__DIR__ . '/../../build/calls.so'),
            '--query=call=' . implode(',', $calls) . '&n=%d&each=4',
            '--expect=done',
        ], self::VALGRIND, self::ENVIRONMENT, ['ffi']);
        self::assertSame(0, $run->exit, substr($run->err, 0, 6000));
    }

    /**
     * A thread of a library calls what is hooked while realms do (tests/engine/calls/beside.c): helgrind finds what both look
     * at and no lock guards. What it says of PHP and of libraries is theirs.
     */
    public function testAThreadOfALibraryTouchesNothingThatIsTheLoops(): void
    {
        $run = Runner::run('calls.php', [
            '--ini=ffi.enable=1',
            '--header=HTTP_X_LIBRARY=' . realpath(__DIR__ . '/../../build/calls.so'),
            '--query=call=beside',
            '--requests=2',
            '--at-once=2',
            '--expect=done',
        ], [
            'valgrind',
            '--tool=helgrind',
            '--num-callers=12',
            '--fullpath-after=' . dirname(__DIR__, 2) . '/',
            '--suppressions=' . __DIR__ . '/../helgrind.supp',
        ], [], ['ffi']);
        self::assertSame(0, $run->exit, substr($run->err, 0, 6000));
        self::assertStringContainsString('ERROR SUMMARY', $run->err, 'helgrind has looked');
        $said = (string) preg_replace('/^==\d+== ?/m', '', $run->err);
        self::assertStringContainsString('Possible data race', $said, 'and tells what it sees in PHP');
        $in_engine = '~Possible data race.*\nLocks held.*\n +at 0x[0-9A-F]+: \S+ \(engine/~';
        self::assertSame([], array_values(preg_grep($in_engine, explode(str_repeat('-', 64), $said)) ?: []));
    }
}
