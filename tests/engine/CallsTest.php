<?php

declare(strict_types=1);

namespace Howdah\Tests\Engine;

use Howdah\Tests\Clock;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;

/**
 * Calls of C libraries that block (tests/engine/calls): each checks its results, errno and time limits itself. php-cli runs the
 * same code with the C library's own functions, so what the hooks answer is what those answer.
 */
final class CallsTest extends TestCase
{
    private const LIBRARY = __DIR__ . '/../../build/calls.so';
    private const THIEF = __DIR__ . '/../../build/thief.so';

    /**
     * @param float $seconds how long it waits; 0: those at once wait for each other
     */
    #[TestWith(['cond_wait', 0.1], 'cond_wait')]
    #[TestWith(['cond_timedwait', 0.1], 'cond_timedwait')]
    #[TestWith(['cond_timedwait_monotonic', 0.1], 'cond_timedwait_monotonic')]
    #[TestWith(['cond_ping', 0.0], 'cond_ping')]
    #[TestWith(['mutex_lock', 0.0], 'mutex_lock')]
    #[TestWith(['mutex_over_wait', 0.0], 'mutex_over_wait')]
    #[TestWith(['mutex_kinds', 0.0], 'mutex_kinds')]
    #[TestWith(['rwlock', 0.0], 'rwlock')]
    #[TestWith(['join', 0.1], 'join')]
    #[TestWith(['timed_locks', 0.1], 'timed_locks')]
    #[TestWith(['timed_join', 0.1], 'timed_join')]
    #[TestWith(['sleeps', 0.1], 'sleeps')]
    #[TestWith(['semaphore', 0.1], 'semaphore')]
    #[TestWith(['c11', 0.1], 'c11')]
    #[TestWith(['flock', 0.1], 'flock')]
    #[TestWith(['lockf', 0.1], 'lockf')]
    #[TestWith(['ofd', 0.1], 'ofd')]
    #[TestWith(['record', 0.1], 'record')]
    #[TestWith(['flock_changes', 0.0], 'flock_changes')]
    #[TestWith(['sysv_semaphore', 0.1], 'sysv_semaphore')]
    #[TestWith(['sysv_messages', 0.1], 'sysv_messages')]
    #[TestWith(['waitpid', 0.1], 'waitpid')]
    #[TestWith(['wait_any', 0.1], 'wait_any')]
    #[TestWith(['waitid', 0.1], 'waitid')]
    #[TestWith(['commands', 0.1], 'commands')]
    #[TestWith(['stopped', 0.0], 'stopped')]
    #[TestWith(['popen_read', 0.1], 'popen_read')]
    #[TestWith(['popen_write', 0.1], 'popen_write')]
    #[TestWith(['popen_print', 0.1], 'popen_print')]
    #[TestWith(['addrinfo', 0.0], 'addrinfo')]
    #[TestWith(['nameinfo', 0.0], 'nameinfo')]
    #[TestWith(['host_r', 0.0], 'host_r')]
    #[TestWith(['host_static', 0.0], 'host_static')]
    #[TestWith(['query', 0.0], 'query')]
    #[TestWith(['users', 0.0], 'users')]
    #[TestWith(['slow_users', 0.2], 'slow_users')]
    #[TestWith(['exception', 0.04], 'exception')]
    #[TestWith(['context', 0.0], 'context')]
    #[TestWith(['pipes', 0.1], 'pipes')]
    #[TestWith(['big_pipe', 0.1], 'big_pipe')]
    #[TestWith(['big_pipe_parts', 0.1], 'big_pipe_parts')]
    #[TestWith(['big_sockets', 0.4], 'big_sockets')]
    #[TestWith(['nonblocking_pipe', 0.0], 'nonblocking_pipe')]
    #[TestWith(['files', 0.0], 'files')]
    #[TestWith(['fifos', 0.1], 'fifos')]
    #[TestWith(['reused', 0.05], 'reused')]
    #[TestWith(['events', 0.1], 'events')]
    #[TestWith(['sockets', 0.1], 'sockets')]
    #[TestWith(['send_nothing', 0.0], 'send_nothing')]
    #[TestWith(['receive_all_from', 0.1], 'receive_all_from')]
    #[TestWith(['receive_all_parts', 0.2], 'receive_all_parts')]
    #[TestWith(['receive_descriptor', 0.0], 'receive_descriptor')]
    #[TestWith(['receive_limit', 0.1], 'receive_limit')]
    #[TestWith(['receive_at_once', 0.0], 'receive_at_once')]
    #[TestWith(['half_closed', 0.1], 'half_closed')]
    #[TestWith(['full_queue', 0.1], 'full_queue')]
    #[TestWith(['lingering', 0.3], 'lingering')]
    #[TestWith(['select_file', 0.1], 'select_file')]
    #[TestWith(['poll_nested', 0.1], 'poll_nested')]
    #[TestWith(['connecting', 0.05], 'connecting')]
    #[TestWith(['connecting_local', 0.1], 'connecting_local')]
    #[TestWith(['polls', 0.1], 'polls')]
    #[TestWith(['masks', 0.0], 'masks')]
    #[TestWith(['thread_mask', 0.0], 'thread_mask')]
    #[TestWith(['tick_at_the_end', 0.0], 'tick_at_the_end')]
    #[TestWith(['process_mask', 0.0], 'process_mask')]
    #[TestWith(['epoll', 0.1], 'epoll')]
    #[TestWith(['epoll_mask', 0.02], 'epoll_mask')]
    #[TestWith(['alarms', 0.0], 'alarms')]
    #[TestWith(['beside', 0.0], 'beside')]
    #[TestWith(['far_limits', 0.05], 'far_limits')]
    #[TestWith(['bad_limits', 1.0], 'bad_limits')]
    public function testACallAnswersAsTheOriginalAndOthersRunMeanwhile(string $call, float $seconds): void
    {
        $original = $this->original($call);
        self::assertInTime($original);
        self::assertSame('done', $original);
        $one = Runner::run('calls.php', [...$this->options($call, 1), '--expect=done'], extensions: ['ffi']);
        self::assertInTime($one->err);
        self::assertSame(0, $one->exit, $one->err);
        $options = [...$this->options("{$call}&when=", 16), '--expect-part=done'];
        $many = Runner::run('calls.php', $options, extensions: ['ffi']);
        self::assertInTime($many->err);
        self::assertSame(0, $many->exit, $many->err);
        if ($seconds > 0.0) {
            Clock::assertAtLeast($seconds, $one->seconds, 'the wait is not cut short');
            self::assertTrue($this->overlap($many->out), "one after another:\n{$many->out}");
        }
    }

    /**
     * Whether a call began before the one that began before it had ended: where one blocks its worker, none does.
     */
    private function overlap(string $out): bool
    {
        preg_match_all('/^done (\d+) (\d+)$/m', $out, $times, PREG_SET_ORDER);
        usort($times, static fn (array $one, array $other): int => (int) $one[1] <=> (int) $other[1]);
        for ($i = 1; $i < count($times); ++$i) {
            if ((int) $times[$i][1] < (int) $times[$i - 1][2]) {
                return true;
            }
        }

        return false;
    }

    /**
     * Two realms: the first one waits, the second one closes or replaces what it waits for.
     */
    #[TestWith(['closed_in_recv'], 'closed_in_recv')]
    #[TestWith(['closed_in_poll'], 'closed_in_poll')]
    #[TestWith(['replaced_in_read'], 'replaced_in_read')]
    public function testADescriptorThatIsClosedWhileARealmWaitsForItIsSeen(string $call): void
    {
        $run = Runner::run('calls.php', [...$this->options($call, 2), '--expect=done'], extensions: ['ffi']);
        self::assertInTime($run->err);
        self::assertSame(0, $run->exit, $run->err);
    }

    /**
     * Realms of one worker, of which one waits for what another does: nobody else would.
     */
    #[TestWith(['fifo_ends', 2], 'fifo_ends')]
    #[TestWith(['once', 4], 'once')]
    #[TestWith(['once_in_cpp', 2], 'once_in_cpp')]
    #[TestWith(['spin', 4], 'spin')]
    public function testRealmsMayWaitForEachOther(string $call, int $realms): void
    {
        $options = [...$this->options($call, $realms), '--expect=done'];
        $run = Runner::run('calls.php', $options, extensions: ['ffi'], limit: 120);
        self::assertInTime($run->err);
        self::assertSame(0, $run->exit, $run->err);
    }

    /**
     * Another process, which shares the descriptor, takes what is there (or fills the room that is there) right before the
     * call of the first realm. It has to wait, then, for what the second realm of its worker does.
     */
    #[TestWith(['stolen_connection'], 'stolen_connection')]
    #[TestWith(['stolen_connection_with_flags'], 'stolen_connection_with_flags')]
    #[TestWith(['stolen_event'], 'stolen_event')]
    #[TestWith(['stolen_room'], 'stolen_room')]
    #[TestWith(['stolen_line'], 'stolen_line')]
    public function testOthersRunAlsoWhereAnotherProcessWasQuicker(string $call): void
    {
        $environment = ['LD_PRELOAD' => (string) realpath(self::THIEF)];
        $options = [...$this->options($call, 2), '--expect=done'];
        $run = Runner::run('calls.php', $options, environment: $environment, limit: 120);
        self::assertInTime($run->err);
        self::assertSame(0, $run->exit, $run->err);
    }

    /**
     * The loader has a lock for who loads, and one for who looks at what is loaded. With ext/curl hooks look for more.
     */
    public function testAThreadLoadsLibrariesWhileARealmDoes(): void
    {
        $original = $this->original('loads');
        self::assertSame('done', $original);
        $options = [...$this->options('loads', 1), '--expect=done'];
        $run = Runner::run('calls.php', $options, extensions: ['ffi', 'curl']);
        self::assertSame(0, $run->exit, $run->err);
    }

    /** What has taken too long says so (CHECK() in tests/engine/calls/calls.h). */
    private static function assertInTime(string $said): void
    {
        if (preg_match('/late: .*/', $said, $match) === 1) {
            Clock::late($match[0]);
        }
    }

    /**
     * What the call answers in php-cli.
     */
    private function original(string $call): string
    {
        $script = __DIR__ . '/scripts/calls.php';
        exec(implode(' ', array_map('escapeshellarg', [
            'timeout', '300', PHP_BINARY, '-n', '-d', 'extension=ffi', '-d', 'ffi.enable=1', $script, $call, self::LIBRARY,
        ])), $lines, $status);
        if ($status === 124) {
            Clock::late("{$call} did not end in php-cli");
        }

        return implode("\n", $lines);
    }

    /**
     * @return list<string>
     */
    private function options(string $call, int $at_once): array
    {
        return [
            '--ini=ffi.enable=1',
            '--header=HTTP_X_LIBRARY=' . realpath(self::LIBRARY),
            "--query=call={$call}",
            "--requests={$at_once}",
            "--at-once={$at_once}",
        ];
    }
}
