<?php

declare(strict_types=1);

namespace Howdah\HttpTests;

use Howdah\Tests\Clock;
use PHPUnit\Framework\Attributes\DataProvider;

/** What `howdah serve` prints of each request. */
final class AccessLogTest extends HttpTestCase
{
    protected const APP = __DIR__ . '/app/nginx';

    public function test_log_json_is_one_object_a_line_with_what_the_request_took(): void
    {
        $server = $this->ownServer('classic', '--log=json');
        $server->client->get('/work?ms=30&mb=5&"quoted"=\\', [CURLOPT_USERAGENT => "a \"browser\"\x07"]);
        $server->client->get('/download.txt');

        $server->eventually(fn (): bool => substr_count($server->output(), "\n") >= 2);
        $lines = array_map(
            static fn (string $line): mixed => json_decode($line, true, flags: JSON_THROW_ON_ERROR),
            explode("\n", trim($server->output())),
        );

        self::assertCount(2, $lines);
        [$php, $file] = $lines;
        self::assertIsArray($php);
        self::assertIsArray($file);
        self::assertSame(['127.0.0.1', 'GET', 200], [$php['client'], $php['method'], $php['status']]);
        self::assertSame('/work?ms=30&mb=5&"quoted"=\\', $php['uri']);
        self::assertSame("a \"browser\"\x07", $php['user_agent']);
        self::assertGreaterThanOrEqual(30, $php['wait_ms']);
        self::assertGreaterThanOrEqual(25, $php['cpu_ms']);
        self::assertGreaterThan(5 << 20, $php['memory']);
        self::assertIsFloat($php['seconds']);
        Clock::assertAtLeast(0.05, $php['seconds'], 'it has computed for 30 ms, and waited as long');
        self::assertSame([null, null, null], [$file['wait_ms'], $file['memory'], $file['realm']]);
        self::assertSame(17, $file['bytes']);
    }

    /** PHP tells how long it has computed: nginx's clock stands still meanwhile. */
    #[DataProvider('modes')]
    public function test_what_a_request_computed_is_in_its_time(string $mode): void
    {
        $server = $this->ownServer($mode, '--log=json');
        $computed = [];
        foreach (['/digest', '/count', '/digest'] as $uri) {
            $computed[] = (float) $server->client->get($uri)->body;
        }

        $server->eventually(fn (): bool => substr_count($server->output(), "\n") >= 3);
        foreach (explode("\n", trim($server->output())) as $number => $line) {
            $logged = json_decode($line, true, flags: JSON_THROW_ON_ERROR);
            self::assertIsArray($logged);
            // The kernel's coarse clock, by which nginx goes, may be 4 ms behind, at the beginning and at the end.
            self::assertIsFloat($logged['seconds']);
            Clock::assertAtLeast($computed[$number] - 0.006, $logged['seconds'], $line);
        }
    }

    public function test_a_terminal_shows_the_status_in_colour(): void
    {
        $shown = $this->onTerminal([]);

        $good = '~^\d\d:\d\d:\d\d \e\[32m200\e\[0m GET / \d+\.\d+s, \d+ ms of it waiting, \d+ MB 127~m';
        self::assertMatchesRegularExpression($good, $shown);
        self::assertMatchesRegularExpression('~^\d\d:\d\d:\d\d \e\[33m404\e\[0m GET /no \d~m', $shown);
    }

    public function test_no_color_is_obeyed(): void
    {
        $shown = $this->onTerminal(['NO_COLOR' => '1']);

        self::assertMatchesRegularExpression('~^\d\d:\d\d:\d\d 200 GET / ~m', $shown);
        self::assertStringNotContainsString("\e[", $shown);
    }

    /**
     * @param  array<string, string> $environment
     * @return string                what a terminal shows of two requests
     */
    private function onTerminal(array $environment): string
    {
        $port = Server::freePort();
        $howdah = [PHP_BINARY, dirname(__DIR__, 2) . '/bin/howdah', 'serve', self::APP, "--listen=127.0.0.1:$port"];
        $process = proc_open(
            [...$howdah, ...self::options('classic')],
            [['file', '/dev/null', 'r'], ['pty'], ['file', '/dev/null', 'w']],
            $pipes,
            null,
            $environment + ['TERM' => 'xterm'] + getenv(),
        );
        self::assertIsResource($process);
        $client = new Client("http://127.0.0.1:$port");
        $shown = '';
        try {
            Clock::await(static fn (): bool => $client->get('/')->status === 200, 'it serves');
            $client->get('/no');
            stream_set_blocking($pipes[1], false);
            Clock::await(static function () use ($pipes, &$shown): bool {
                $shown .= (string) fread($pipes[1], 65536);

                return preg_match('~/no .*\n~', $shown) === 1;
            }, 'the terminal shows the second request');
        } finally {
            proc_terminate($process, SIGTERM);
            proc_close($process);
        }

        return $shown;
    }
}
