<?php

declare(strict_types=1);

namespace Howdah\HttpTests;

use Howdah\Tests\Clock;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;

/** A request's body that is in several buffers of nginx's, and that others than PHP read as well; in a worker that cannot take much memory. */
#[Group('flow')]
final class BodyTest extends DirectiveTestCase
{
    protected const APP = __DIR__ . '/app/nginx';

    protected const ADDRESS_SPACE_KB = 2 << 20;

    private const CHUNKS = ['A' => 2000, 'B' => 2000, 'C' => 2000];

    /** @return iterable<string, array{string, string}> */
    public static function bufferings(): iterable
    {
        foreach (['classic', 'worker'] as $mode) {
            foreach (['on', 'off'] as $buffering) {
                yield "$mode, $buffering" => [$mode, $buffering];
            }
        }
    }

    /** While PHP writes between its reads, for which nginx takes links of chains. */
    #[DataProvider('bufferings')]
    public function test_php_has_all_of_a_body_that_it_reads_in_pieces(string $mode, string $buffering): void
    {
        $this->serve($mode, "howdah_request_buffering $buffering;");

        self::assertSame('PUT 6000 ' . $this->sum(), $this->put('/pieces'), $this->log());
    }

    /** @return iterable<string, array{string, string, string, bool}> */
    public static function takeovers(): iterable
    {
        foreach (['classic', 'worker'] as $mode) {
            yield "$mode, X-Accel-Redirect" => [$mode, '/pieces?To=/behind', 'GET', false];
            yield "$mode, error_page" => [$mode, '/pieces?late=1', 'PUT', true];
        }
    }

    #[DataProvider('takeovers')]
    public function test_another_location_has_the_body_that_php_has_read(
        string $mode,
        string $uri,
        string $method,
        bool $isLimited,
    ): void {
        // Who has the body then may take its time.
        $script = self::APP . ($mode === 'worker' ? '/worker.php' : '/public/index.php');
        $limited = "location = /pieces { howdah_request_timeout 200ms; howdah_pass $mode $script; } ";
        $this->serve($mode, ($isLimited ? $limited : '') . "error_page 504 = @behind;"
            . ' location @behind { rewrite ^ /body break; proxy_pass http://127.0.0.1:$server_port; }'
            . ' location = /behind { proxy_pass http://127.0.0.1:$server_port/body; }');

        self::assertSame("$method 6000 " . $this->sum(), $this->put($uri), $this->log());
    }

    #[DataProvider('modes')]
    public function test_a_mirror_has_the_body_as_well(string $mode): void
    {
        $script = self::APP . ($mode === 'worker' ? '/worker.php' : '/public/index.php');
        $this->serve($mode, "mirror /mirrored; location = /body { mirror off; howdah_pass $mode $script; }"
            . ' location = /mirrored { internal; proxy_pass http://127.0.0.1:$server_port/body?file='
            . "{$this->folder}/got; }");

        self::assertSame('PUT 6000 ' . $this->sum(), $this->put('/pieces'), $this->log());
        self::assertSame('PUT 6000 ' . $this->sum(), $this->eventually("{$this->folder}/got"), $this->log());
    }

    private function sum(): string
    {
        return sha1(implode('', array_map(str_repeat(...), array_keys(self::CHUNKS), self::CHUNKS)));
    }

    /** In chunks that arrive together: a buffer each. */
    private function put(string $uri): string
    {
        $client = new Http1($this->port);
        $body = '';
        foreach (self::CHUNKS as $letter => $size) {
            $body .= dechex($size) . "\r\n" . str_repeat($letter, $size) . "\r\n";
        }
        $client->send("PUT $uri HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n{$body}0\r\n\r\n");

        return trim($client->read()->body ?? 'no answer');
    }

    private function eventually(string $file): string
    {
        return Clock::await(static fn (): string|false => @file_get_contents($file) ?: false, "$file is written");
    }
}
