<?php

declare(strict_types=1);

namespace Howdah\Cli\Tests;

use Howdah\Cli\Control\ControlSocket;
use Howdah\Cli\NginxConfig;
use Howdah\Tests\Clock;
use PHPUnit\Framework\TestCase;

/** Whoever answers at it may be another user's program. */
final class ControlSocketTest extends TestCase
{
    private string $folder;

    protected function setUp(): void
    {
        $this->folder = sys_get_temp_dir() . '/howdah-control-' . bin2hex(random_bytes(6));
        mkdir($this->folder);
    }

    protected function tearDown(): void
    {
        exec('rm -rf ' . escapeshellarg($this->folder));
    }

    public function test_who_sends_a_byte_now_and_then_holds_nobody(): void
    {
        $path = "{$this->folder}/" . NginxConfig::CONTROL_SOCKET;
        // For a minute.
        $code = '$client = stream_socket_accept(stream_socket_server("unix://$argv[1]"), 60);'
            . 'for ($i = 0; $i < 600; $i++) { @fwrite($client, "x"); usleep(100000); }';
        $peer = proc_open([PHP_BINARY, '-r', $code, $path], [], $pipes);
        self::assertIsResource($peer);
        try {
            Clock::await(static fn (): bool => file_exists($path), 'it listens');
            self::assertNull((new ControlSocket($this->folder))->ask());
            self::assertTrue(proc_get_status($peer)['running'], 'its end was waited for');
        } finally {
            proc_terminate($peer, SIGKILL);
            proc_close($peer);
        }
    }

    public function test_a_link_to_another_socket_is_not_followed(): void
    {
        $server = stream_socket_server("unix://{$this->folder}/other");
        self::assertIsResource($server);
        symlink("{$this->folder}/other", "{$this->folder}/" . NginxConfig::CONTROL_SOCKET);

        self::assertSame('', (new ControlSocket($this->folder))->request('x'));
        stream_set_blocking($server, false);
        self::assertFalse(@stream_socket_accept($server, 0), 'somebody has come');
        fclose($server);
    }
}
