<?php

declare(strict_types=1);

namespace Howdah\Cli\Tests;

use PHPUnit\Framework\TestCase;

final class OrphansTest extends TestCase
{
    /**
     * As process 1. One that is its own ends, and one that has lost its parent. Each end is told by a signal, so that nothing
     * is asked too early.
     */
    private const PROCESS_1 = <<<'PHP'
        require $argv[1];
        pcntl_sigprocmask(SIG_BLOCK, [SIGCHLD]);
        [$here, $there] = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0);
        $own = pcntl_fork() ?: exit(7);
        pcntl_sigwaitinfo([SIGCHLD]);
        $parent = pcntl_fork();
        if ($parent === 0) {
            if (pcntl_fork() === 0) {
                fclose($here);
                fread($there, 1);
            }
            exit(0);
        }
        pcntl_waitpid($parent, $status);
        pcntl_sigwaitinfo([SIGCHLD]);
        fwrite($here, "\n");
        pcntl_sigwaitinfo([SIGCHLD]);
        $ended = Howdah\Cli\Control\Orphans::reap([$own]);
        echo json_encode([getmypid(), $ended === [$own => 7], pcntl_waitpid(-1, $status, WNOHANG)]);
        PHP;

    public function test_who_has_ended_is_no_zombie_where_proc_is_another_namespaces(): void
    {
        $unshare = 'unshare --pid --fork' . (posix_geteuid() === 0 ? '' : ' --user --map-root-user');
        exec("$unshare true 2>&1", $output, $status);
        if ($status !== 0) {
            self::markTestSkipped('no namespace may be made here: ' . implode(' ', $output));
        }

        $arguments = [PHP_BINARY, '-r', self::PROCESS_1, '--', dirname(__DIR__) . '/vendor/autoload.php'];
        $output = [];
        exec("$unshare " . implode(' ', array_map(escapeshellarg(...), $arguments)) . ' 2>&1', $output);

        self::assertSame(['[1,true,-1]'], $output);
    }
}
