<?php

declare(strict_types=1);

namespace Howdah\HttpTests;

use Howdah\Tests\Clock;
use PHPUnit\Framework\TestCase;

/** `howdah serve` where nobody says on which port, and the browser that it opens. */
final class ListenTest extends TestCase
{
    private string $folder;

    /** @var resource|null */
    private $process = null;

    protected function setUp(): void
    {
        $this->folder = sys_get_temp_dir() . '/howdah-listen-' . bin2hex(random_bytes(6));
        mkdir($this->folder);
    }

    protected function tearDown(): void
    {
        $this->stop();
        exec('rm -rf ' . escapeshellarg($this->folder));
    }

    public function test_a_port_in_use_that_nobody_has_named_gives_the_next_one_and_a_browser_opens_it(): void
    {
        file_put_contents("{$this->folder}/browser", "#!/bin/sh\necho \"\$1\" > {$this->folder}/url.new\n"
            . "mv {$this->folder}/url.new {$this->folder}/url\n");
        chmod("{$this->folder}/browser", 0755);

        // We have it, or another program; which may have given it up before the server came.
        for (;;) {
            $taken = @stream_socket_server('tcp://127.0.0.1:8080');
            $this->start(['--open'], ['BROWSER' => "{$this->folder}/browser", 'PORT' => '']);
            $url = Clock::await(fn (): string|false => @file_get_contents("{$this->folder}/url"), $this->log(...));
            if ($taken !== false || !str_contains($url, ':8080')) {
                break;
            }
            $this->stop();
            unlink("{$this->folder}/url");
        }
        self::assertMatchesRegularExpression('~^http://127\.0\.0\.1:(?!8080)\d+\n$~D', $url);
        self::assertSame('front page', (new Client(trim($url)))->get('/')->body);
        self::assertStringContainsString('port 8080 is in use by another program: ' . trim($url) . ' instead', $this->log());
        self::assertStringContainsString('on ' . trim($url) . ' in classic mode', $this->log());
        is_resource($taken) && fclose($taken);
    }

    public function test_a_port_in_use_that_the_variable_names_is_a_clear_error(): void
    {
        $taken = stream_socket_server('tcp://127.0.0.1:0');
        self::assertNotFalse($taken);
        $port = substr((string) strrchr((string) stream_socket_get_name($taken, false), ':'), 1);

        $result = Howdah::run(['serve', __DIR__ . '/app', '--mode=classic'], ['PORT' => $port]);

        self::assertSame(1, $result->status);
        self::assertStringContainsString("cannot listen on 127.0.0.1:$port: the port is in use by another", $result->errors);
    }

    /**
     * @param list<string>          $options
     * @param array<string, string> $environment
     */
    private function start(array $options, array $environment): void
    {
        $log = ['file', "{$this->folder}/log", 'a'];
        $howdah = dirname(__DIR__, 2) . '/bin/howdah';
        $process = proc_open(
            [PHP_BINARY, $howdah, '--no-ansi', 'serve', __DIR__ . '/app', '--mode=classic', '--workers=1', ...$options],
            [['file', '/dev/null', 'r'], $log, $log],
            $pipes,
            null,
            $environment + getenv(),
        );
        self::assertIsResource($process);
        $this->process = $process;
    }

    private function stop(): void
    {
        if ($this->process !== null) {
            proc_terminate($this->process);
            proc_close($this->process);
            $this->process = null;
        }
    }

    private function log(): string
    {
        return (string) @file_get_contents("{$this->folder}/log");
    }
}
