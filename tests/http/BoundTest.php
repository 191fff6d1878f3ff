<?php

declare(strict_types=1);

namespace Howdah\HttpTests;

use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;

/**
 * One request never takes more memory than its buffers, whatever is sent, answered, handed over or included; in a worker that
 * cannot have much, so that what takes memory without end fails here and not the machine. Its neighbours are served.
 */
#[Group('flow')]
final class BoundTest extends FlowTestCase
{
    protected const ADDRESS_SPACE_KB = 2 << 20;

    private const MEGABYTES = 32;

    /** Megabytes that any of them may take: what PHP keeps of its own, nginx's buffers. */
    private const BOUND = 8;

    private Nginx $server;
    private string $file;
    private int $worker;

    /** @var list<string> what took more */
    private array $tooMuch;

    #[DataProvider('modes')]
    public function test_bodies(string $mode): void
    {
        $this->begin($mode, "location = /streamed { howdah_request_buffering off; {pass /input} }"
            . ' location = /left { howdah_request_buffering off; {pass /process} }');
        $two = [CURLOPT_HTTP_VERSION => CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE];
        $length = [CURLOPT_INFILESIZE => self::MEGABYTES << 20];
        $whole = (self::MEGABYTES << 20) . ' ' . hash_file('crc32b', $this->file);
        $ways = ['length' => $length, 'chunks' => [], 'HTTP/2' => $two + $length, 'HTTP/2, no length' => $two];
        foreach ($ways as $how => $options) {
            foreach (['/input' => $whole, '/streamed' => $whole, '/process' => '', '/left' => ''] as $uri => $expected) {
                $answer = $this->within("$how to $uri", fn (): Response => $this->put($uri, $options));
                self::assertSame([200, $expected ?: (string) $this->worker], [$answer->status, $answer->body], "$how to $uri");
            }
        }
        $this->end();
    }

    #[DataProvider('modes')]
    public function test_responses(string $mode): void
    {
        $files = "location /files/ { internal; alias {$this->folder}/; }";
        $this->begin($mode, $files);
        $bytes = self::MEGABYTES << 20;
        $name = basename($this->file);
        $responses = [
            '/output?megabytes=' . self::MEGABYTES => $bytes,
            '/output?flush=1&megabytes=' . self::MEGABYTES => $bytes,
            '/drops?count=200000' => 20_000_000,
            "/file?by=readfile&file={$this->file}" => $bytes,
            "/file?by=fpassthru&file={$this->file}" => $bytes,
            "/file?by=copy&file={$this->file}" => $bytes,
            "/accel?to=/files/$name" => $bytes,
        ];
        foreach ($responses as $uri => $expected) {
            $this->within($uri, fn () => self::assertSame($expected, $this->quickly($uri), $uri));
            $this->within("$uri, slowly", fn () => self::assertSame($expected, $this->slowly($uri), "$uri, slowly"));
            $this->within("$uri, HTTP/2", fn () => self::assertSame($expected, $this->second($uri), "$uri, HTTP/2"));
        }
        $this->within('flushed', fn () => self::assertSame(50_000, $this->secondLater('/drops?flush=1&count=50000')));
        $sent = $this->within('hints', fn (): string => $this->answered('/hints?count=100000'));
        self::assertGreaterThan(99, (int) $sent);
        $sent = $this->within('trailers', fn (): string => $this->server->client->get('/trailers?count=50000')->body);
        self::assertGreaterThan(99, (int) $sent);
        // The script's own megabytes come on top.
        $this->within('/echo', fn () => self::assertSame(8 << 20, $this->slowly('/echo?megabytes=8')), 8);
        // PHP's headers, nginx's copy of them, and the text that it makes of them.
        $headers = fn () => self::assertSame(17, $this->slowly('/headers?count=1000&bytes=4000'));
        $this->within('/headers', $headers, 3 * 4);
        $this->end();
    }

    #[DataProvider('modes')]
    public function test_what_answers_in_phps_place(string $mode): void
    {
        $itself = "unix:{$this->folder}/socket";
        $large = 'megabytes=' . self::MEGABYTES;
        $late = 'howdah_request_timeout 300ms; {pass /sleep?ms=20000}';
        $this->begin($mode, "listen $itself; location /files/ { internal; alias {$this->folder}/; }"
            . " location = /proxied { proxy_method GET; proxy_pass_request_body off; proxy_set_header Content-Length '';"
            . " proxy_pass http://$itself:/output?$large; }"
            . " location = /php { {pass /output?$large} }"
            . " location = /late-file { error_page 504 =200 /files/body; $late }"
            . " location = /late-proxied { error_page 504 =200 /proxied; $late }"
            . " location = /late-php { error_page 504 =200 /php; $late }"
            . ' location = /loop { {pass /accel?to=/loop} }'
            . " location = /late-loop { recursive_error_pages on; error_page 504 /late-loop;"
            . ' howdah_request_timeout 50ms; {pass /sleep?ms=20000} }');
        $redirects = ['/accel?to=/files/body', '/accel?to=/proxied', '/accel?to=/php'];
        foreach ([...$redirects, '/late-file', '/late-proxied', '/late-php'] as $uri) {
            foreach ([[], [CURLOPT_INFILESIZE => self::MEGABYTES << 20]] as $upload) {
                $answer = $this->within($uri, fn (): int => $this->quickly($uri, $upload));
                self::assertSame(self::MEGABYTES << 20, $answer, $uri . ($upload === [] ? '' : ', with a body'));
            }
        }
        foreach (['/loop', '/late-loop'] as $uri) {
            $answer = $this->within($uri, fn (): Response => $this->server->client->get($uri));
            self::assertSame(500, $answer->status, $uri);
            self::assertStringContainsString('rewrite or internal redirection cycle', $this->server->log());
        }
        $this->end();
    }

    #[DataProvider('modes')]
    public function test_subrequests(string $mode): void
    {
        $large = '/output?megabytes=' . self::MEGABYTES;
        $this->begin($mode, "location = /mirrored { internal; {pass $large} }"
            . ' location = /with-mirror { mirror /mirrored; {pass /input} }'
            . " location = /asked { internal; {pass $large} }"
            . ' location = /with-auth { auth_request /asked; {pass /input} }');
        $whole = (self::MEGABYTES << 20) . ' ' . hash_file('crc32b', $this->file);
        foreach (['/with-mirror', '/with-auth'] as $uri) {
            $answer = $this->within($uri, fn (): Response => $this->put($uri, [CURLOPT_INFILESIZE => self::MEGABYTES << 20]));
            self::assertSame([200, $whole], [$answer->status, $answer->body], $uri);
        }
        $this->end();
    }

    /** Parts of a page: of PHP, beside each other, around each other, behind one that is slow. */
    #[DataProvider('modes')]
    public function test_pages_of_parts(string $mode): void
    {
        $bytes = 16 << 20;
        $large = '/output?megabytes=16';
        $page = static fn (string $parts): string => 'return 200 "' . (string) preg_replace(
            '/(\S+) ?/',
            '<!--#include virtual=\"$1\" -->',
            $parts,
        ) . '";';
        $this->begin($mode, 'ssi on; ssi_types *; addition_types *;'
            . " location = /large { internal; {pass $large} } location = /late { internal; {pass /sleep?ms=300} }"
            . " location = /behind { {$page('/late /large /large')} } location = /nested { {$page('/late /large /behind')} }"
            . " location = /added { add_before_body /late; add_after_body /large; {pass $large} }");
        $pages = [
            '/behind' => 2 * $bytes,
            '/nested' => 3 * $bytes,
            '/added' => 2 * $bytes,
            '/around?parts=/late&megabytes=16' => 2 * $bytes,
            '/around?parts=/large,/late&megabytes=4' => $bytes + (12 << 20),
        ];
        foreach ($pages as $uri => $expected) {
            $this->within($uri, fn () => self::assertSame($expected, $this->quickly($uri), $uri));
        }
        $this->within('HTTP/2', fn () => self::assertSame(2 * $bytes, $this->second('/behind')));
        $this->end();
    }

    /** @param string $locations where {pass URI} stands for howdah_pass to the application, for which the URI is that */
    private function begin(string $mode, string $locations): void
    {
        $script = self::APP . ($mode === 'worker' ? '/worker.php' : '/public/index.php');
        $pass = static fn (string $path, string $query = ''): string =>
            "howdah_param REQUEST_URI $path; howdah_param QUERY_STRING \"$query\"; howdah_pass $mode $script;";
        $this->file = "{$this->folder}/body";
        $block = random_bytes(1 << 20);
        file_put_contents($this->file, str_repeat($block, self::MEGABYTES));
        $this->tooMuch = [];
        $this->server = $this->serve($mode, (string) preg_replace_callback(
            '/\{pass (\S+)\}/',
            static fn (array $found): string => $pass(...explode('?', $found[1], 2)),
            $locations,
        ));
        $this->worker = $this->server->workers()[0];
        $this->server->client->get('/output?megabytes=1');
    }

    /**
     * @template T
     * @param  callable(): T $ask
     * @return T
     */
    private function within(string $what, callable $ask, int $more = 0): mixed
    {
        $before = self::forgetPeak($this->server);
        $answer = $ask();
        $took = self::peak($this->server) - $before;
        if ($took > self::BOUND + $more) {
            $this->tooMuch[] = sprintf('%s: %.1f MB', $what, $took);
        }
        self::assertSame((string) $this->worker, $this->server->client->get('/process')->body, $what);

        return $answer;
    }

    private function end(): void
    {
        self::assertSame([], $this->tooMuch);
        self::assertUnharmed($this->server, $this->worker);
    }

    /** @param array<int, mixed> $options */
    private function put(string $uri, array $options): Response
    {
        $client = isset($options[CURLOPT_HTTP_VERSION])
            ? new Client("http://127.0.0.1:{$this->server->port2}") : $this->server->client;

        return $client->get($uri, [CURLOPT_UPLOAD => true, CURLOPT_INFILE => fopen($this->file, 'r')] + $options);
    }

    /** @param array<int, mixed> $upload */
    private function quickly(string $uri, array $upload = []): int
    {
        $received = 0;
        $upload = $upload === [] ? [] : $upload + [CURLOPT_UPLOAD => true, CURLOPT_INFILE => fopen($this->file, 'r')];
        $this->server->client->get($uri, [
            CURLOPT_RETURNTRANSFER => false, // before the function: it sets another one
            CURLOPT_WRITEFUNCTION => static function ($curl, string $data) use (&$received): int {
                $received += strlen($data);

                return strlen($data);
            },
        ] + $upload);

        return $received;
    }

    /** By a client that reads nothing until the server has come to rest. */
    private function slowly(string $uri): int
    {
        $client = (new Http1($this->server->port))->get($uri);
        Server::awaitRest($this->worker);

        return strlen($client->read()->body ?? '');
    }

    /** What follows interim responses. */
    private function answered(string $uri): string
    {
        $client = (new Http1($this->server->port))->get($uri);
        do {
            $answer = $client->read();
        } while ($answer?->status === 103);

        return $answer->body ?? '';
    }

    /** Through a window that is opened when the server has come to rest. */
    private function secondLater(string $uri): int
    {
        $client = new Http2($this->server->port2, 100);
        $stream = $client->request($uri);
        $client->until(static fn (Http2 $client): bool => strlen($client->bodies[$stream]) === 100);
        Server::awaitRest($this->worker);
        $client->grant(0, 1 << 30);
        $client->grant($stream, 1 << 30);
        $client->until(static fn (Http2 $client): bool => isset($client->ended[$stream]));

        return strlen($client->bodies[$stream]);
    }

    /** Through a window of 20,000 bytes. */
    private function second(string $uri): int
    {
        $client = new Http2($this->server->port2, 20_000);
        $client->grant(0, 1 << 30);
        $stream = $client->request($uri);
        $received = 0;
        $client->until(static function (Http2 $client) use ($stream, &$received): bool {
            $bytes = strlen($client->bodies[$stream]);
            $received += $bytes;
            $client->bodies[$stream] = '';
            if ($bytes > 0) {
                $client->grant($stream, $bytes);
            }

            return isset($client->ended[$stream]);
        });

        return $client->ended[$stream] ?? false ? $received : -1;
    }
}
