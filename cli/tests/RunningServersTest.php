<?php

declare(strict_types=1);

namespace Howdah\Cli\Tests;

use Howdah\Cli\Control\RunningServers;
use Howdah\Tests\Clock;

/** Servers that run, and that whoever asks may not look at. */
final class RunningServersTest extends CliTestCase
{
    private const NOBODY = 65534;

    /** As that of a unit of systemd with AmbientCapabilities, asked for by its own user. */
    public function test_a_process_with_more_capabilities_is_named(): void
    {
        if (posix_geteuid() !== 0) {
            self::markTestSkipped('only root may give capabilities to another user');
        }
        $folder = sys_get_temp_dir() . '/howdah-nginx-' . bin2hex(random_bytes(6));
        mkdir($folder);
        chmod($folder, 0755);
        copy('/bin/sleep', "$folder/nginx");
        chmod("$folder/nginx", 0755);
        $user = ['setpriv', '--reuid=' . self::NOBODY, '--regid=' . self::NOBODY, '--clear-groups'];
        $rights = ['--inh-caps=+net_bind_service', '--ambient-caps=+net_bind_service'];
        $process = proc_open([...$user, ...$rights, "$folder/nginx", '600'], [], $pipes);
        self::assertIsResource($process);
        try {
            $pid = proc_get_status($process)['pid'];
            Clock::await(static fn (): bool => file_get_contents("/proc/$pid/comm") === "nginx\n", 'it runs');
            self::assertStringNotContainsString("process $pid", RunningServers::none(), 'root may look at it');

            posix_seteuid(self::NOBODY);
            $none = RunningServers::none();
        } finally {
            posix_seteuid(0);
            proc_terminate($process, SIGKILL);
            proc_close($process);
            exec('rm -r ' . escapeshellarg($folder));
        }

        self::assertMatchesRegularExpression("/^this user's nginx, process (\\d+, )*$pid(, \\d+)*, may do more than/", $none);
    }
}
