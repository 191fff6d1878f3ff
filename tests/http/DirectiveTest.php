<?php

declare(strict_types=1);

namespace Howdah\HttpTests;

use PHPUnit\Framework\Attributes\DataProvider;

/** nginx's own directives, in a configuration that `howdah config` printed and somebody edited. */
final class DirectiveTest extends HttpTestCase
{
    private string $folder;

    /** @var resource */
    private $nginx;

    protected function setUp(): void
    {
        $this->folder = sys_get_temp_dir() . '/howdah-directive-' . bin2hex(random_bytes(6));
        mkdir($this->folder);
    }

    protected function tearDown(): void
    {
        proc_terminate($this->nginx, SIGTERM);
        proc_close($this->nginx);
        exec('rm -rf ' . escapeshellarg($this->folder));
        parent::tearDown();
    }

    /** What was sent at once must not be the end of it: the second write finds the connection delayed. */
    #[DataProvider('modes')]
    public function test_limit_rate_slows_a_response_down_and_sends_all_of_it(string $mode): void
    {
        $client = $this->serve($mode, 'limit_rate 200k;');

        $response = $client->get('/output?bytes=300000', [CURLOPT_TIMEOUT => 10]);

        self::assertSame([200, 300000], [$response->status, strlen($response->body)], $this->log());
        self::assertGreaterThan(0.5, $response->seconds);
    }

    private function serve(string $mode, string $directive): Client
    {
        $port = Server::freePort();
        $howdah = [PHP_BINARY, dirname(__DIR__, 2) . '/bin/howdah', 'config', self::APP, "--listen=127.0.0.1:$port"];
        exec(implode(' ', array_map(escapeshellarg(...), [...$howdah, ...self::options($mode)])), $lines, $status);
        self::assertSame(0, $status);
        $listen = "listen 127.0.0.1:$port;";
        $config = str_replace($listen, "$listen $directive", implode("\n", $lines));
        self::assertStringContainsString($directive, $config);
        file_put_contents("{$this->folder}/nginx.conf", $config);
        $out = ['file', "{$this->folder}/log", 'a'];
        $command = ['nginx', '-p', $this->folder, '-e', 'stderr', '-c', 'nginx.conf'];
        $process = proc_open($command, [['file', '/dev/null', 'r'], $out, $out], $pipes);
        self::assertIsResource($process);
        $this->nginx = $process;
        $client = new Client("http://127.0.0.1:$port");
        for ($tries = 0; $tries < 200 && $client->get('/process')->status !== 200; ++$tries) {
            usleep(50_000);
        }

        return $client;
    }

    private function log(): string
    {
        return (string) file_get_contents("{$this->folder}/log");
    }
}
