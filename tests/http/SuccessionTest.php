<?php

declare(strict_types=1);

namespace Howdah\HttpTests;

use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;

/** Workers that leave, and those that follow them: no request is lost, whatever connection it comes on. */
#[Group('realms')]
final class SuccessionTest extends HttpTestCase
{
    /** What a request does, in either mode. */
    private const PAGE = <<<'PHP'
        <?php
        if (isset($_GET['quit'])) {
            // As stickAtCork() of door.php. From the signal on nothing parks: the turn of the loop goes on.
            $libc = \FFI::cdef('int open(const char *path, int flags);', 'libc.so.6');
            $door = stream_socket_client("unix://{$_GET['quit']}");
            posix_kill(getmypid(), 3); // SIGQUIT
            $libc->open("{$_GET['quit']}.fifo", 0);
        }
        echo 'release 0';
        PHP;

    private string $folder;

    protected function setUp(): void
    {
        $this->folder = sys_get_temp_dir() . '/howdah-succession-' . bin2hex(random_bytes(6));
        mkdir($this->folder);
        chmod($this->folder, 0755);
        $this->write('page.php', self::PAGE);
        $this->write('index.php', "<?php\nrequire __DIR__ . '/page.php';\n");
        $this->write('worker.php', <<<'PHP'
            <?php
            while (frankenphp_handle_request(static function (): void {
                require __DIR__ . '/page.php';
            })) {
            }
            PHP);
    }

    protected function tearDown(): void
    {
        parent::tearDown();
        exec('rm -rf ' . escapeshellarg($this->folder));
    }

    /**
     * nginx asks the kernel once in a turn of its loop, which lasts as long as the PHP in it, and closes all connections at its
     * end on which it knows of no request.
     */
    #[DataProvider('modes')]
    public function test_a_request_that_lies_unread_when_its_worker_is_told_to_leave_is_served(string $mode): void
    {
        $server = $this->start($mode, '--workers=1', '--ini=ffi.enable=1');
        $idle = new Http1($server->port);
        self::assertSame('release 0', $idle->get('/')->read()?->body);
        $cork = new Cork();
        $leaves = (new Http1($server->port))->get("/?quit={$cork->path}");
        $cork->await();
        $idle->get('/');

        $cork->pull();

        self::assertSame('release 0', $leaves->read()?->body);
        $answer = $idle->read();
        self::assertSame('release 0', $answer?->body);
        self::assertSame('close', $answer->header('connection'), 'a client would send the next one');
    }

    private function start(string $mode, string ...$options): Server
    {
        $script = $mode === 'worker' ? "--worker-script={$this->folder}/worker.php" : '--mode=classic';
        $ini = ['--ini=opcache.file_update_protection=0', '--ini=opcache.validate_timestamps=0'];

        return $this->keep(Server::serving($this->folder, $script, ...$ini, ...array_values($options)));
    }

    private function write(string $name, string $text): void
    {
        file_put_contents("{$this->folder}/new", $text);
        rename("{$this->folder}/new", "{$this->folder}/$name");
    }
}
