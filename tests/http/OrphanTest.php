<?php

declare(strict_types=1);

namespace Howdah\HttpTests;

use Howdah\Tests\Clock;
use PHPUnit\Framework\Attributes\Group;

/** `howdah serve` as process 1 of a container: what requests leave in the background becomes its child. */
#[Group('other')]
final class OrphanTest extends HttpTestCase
{
    /** As process 1 it adopts whoever loses its parent (PR_SET_CHILD_SUBREAPER of <linux/prctl.h>); exec() leaves it so. */
    private const ADOPT = 'FFI::cdef("int prctl(int, long, long, long, long);")->prctl(36, 1, 0, 0, 0) === 0 or exit(1);'
        . ' pcntl_exec(PHP_BINARY, array_slice($argv, 1));';

    /** Each job says who it is, and ends when its pipe does. */
    private const PAGE = <<<'PHP'
        <?php
        $in = $_GET['folder'];
        $job = static fn (string $name): string => "sh -c 'echo $$ >$in/$name; read nothing <$in/pipe'";
        exec($job('exec') . ' >/dev/null 2>&1 &');
        shell_exec("({$job('twice')} &) >/dev/null 2>&1 &");
        pclose(popen($job('popen') . ' >/dev/null 2>&1 &', 'r'));
        proc_close(proc_open("setsid {$job('proc_open')} >/dev/null 2>&1 &", [], $pipes));
        echo 'done';
        PHP;

    private const JOBS = ['exec', 'twice', 'popen', 'proc_open'];

    public function test_a_background_job_that_ends_is_no_zombie(): void
    {
        $folder = sys_get_temp_dir() . '/howdah-orphan-' . bin2hex(random_bytes(6));
        mkdir($folder);
        file_put_contents("$folder/index.php", self::PAGE);
        posix_mkfifo("$folder/pipe", 0600);
        $pipe = fopen("$folder/pipe", 'r+');
        self::assertIsResource($pipe);
        $howdah = dirname(__DIR__, 2) . '/bin/howdah';
        $command = [PHP_BINARY, '-d', 'ffi.enable=1', '-r', self::ADOPT, '--', $howdah];
        $server = $this->keep(new Server($folder, ['--workers=1', '--mode=classic'], $command));
        $server->awaitReady();

        self::assertSame('done', $server->client->get("/?folder=$folder")->body);
        $pids = array_map(fn (string $name): int => $this->job($server, "$folder/$name"), self::JOBS);
        $own = array_diff(Server::children($server->pid), $pids);
        self::assertCount(4, array_unique($pids));
        fwrite($pipe, "\n\n\n\n");
        $ended = static fn (int $pid): bool => preg_match('/\) [^ZX]/', (string) @file_get_contents("/proc/$pid/stat")) !== 1;
        Clock::await(static fn (): bool => array_filter($pids, $ended) === $pids, 'the jobs end');
        // What it hears after they have ended it does after it has heard of that.
        $server->signal(SIGHUP);
        Clock::await(static fn (): bool => str_contains($server->errors(), 'howdah: reloaded'), 'it has reloaded');

        self::assertSame([], array_intersect($pids, Server::children($server->pid)), 'zombies');
        self::assertSame($own, Server::children($server->pid), 'its own');
        $server->signal(SIGTERM);
        self::assertSame(0, $server->await(), $server->errors());
        exec('rm -rf ' . escapeshellarg($folder));
    }

    /** The job's process, when the server has adopted it. */
    private function job(Server $server, string $file): int
    {
        Clock::await(static fn (): bool => is_file($file) && (int) file_get_contents($file) > 0, "the job of $file runs");
        $pid = (int) file_get_contents($file);
        Clock::await(static fn (): bool => in_array($pid, Server::children($server->pid), true), "$file's job is adopted");

        return $pid;
    }
}
