<?php

declare(strict_types=1);

namespace Howdah\ClientTests;

use Howdah\Tests\Clock;
use PHPUnit\Framework\Attributes\DataProvider;

/** A client that writes its own bytes: requests in a pipeline, bytes one by one, chunks, HTTP/1.0. */
final class SocketTest extends ClientTestCase
{
    #[DataProvider('modes')]
    public function test_requests_in_a_pipeline_are_answered_in_order(string $mode): void
    {
        $socket = $this->connect($mode);
        $requests = '';
        for ($number = 0; $number < 50; $number++) {
            $last = $number === 49 ? "Connection: close\r\n" : '';
            $requests .= "GET /wait?number=$number HTTP/1.1\r\nHost: localhost\r\n$last\r\n";
        }
        fwrite($socket, $requests);
        preg_match_all('~waited (\d+)~', self::everything($socket), $numbers);

        self::assertSame(array_map(strval(...), range(0, 49)), $numbers[1]);
    }

    #[DataProvider('modes')]
    public function test_bytes_that_come_one_by_one_are_a_request(string $mode): void
    {
        $socket = $this->connect($mode);
        $body = 'name=one+by+one';
        $length = strlen($body);
        $request = "POST /?slow=1 HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-www-form-urlencoded\r\n"
            . "Content-Length: $length\r\nConnection: close\r\n\r\n$body";
        foreach (str_split($request) as $byte) {
            fwrite($socket, $byte);
            usleep(500);
        }
        $told = self::body(self::everything($socket));

        self::assertSame([['slow' => '1'], ['name' => 'one by one'], $length], [$told['query'], $told['post'], $told['size']]);
    }

    #[DataProvider('modes')]
    public function test_chunks_of_any_size_are_a_body(string $mode): void
    {
        $socket = $this->connect($mode);
        fwrite($socket, "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/x\r\nTransfer-Encoding: chunked\r\n"
            . "Connection: close\r\n\r\n");
        $body = random_bytes(100_000);
        for ($at = 0, $size = 1; $at < strlen($body); $at += $size, $size = min($size * 2, 4096)) {
            $chunk = substr($body, $at, $size);
            fwrite($socket, sprintf("%x;name=value\r\n%s\r\n", strlen($chunk), $chunk));
        }
        fwrite($socket, "0\r\nTrailer: ignored\r\n\r\n");
        $told = self::body(self::everything($socket));

        self::assertSame([100_000, hash('sha256', $body)], [$told['size'], $told['hash']]);
    }

    #[DataProvider('modes')]
    public function test_a_client_of_http_1_0_is_answered_and_the_connection_closed(string $mode): void
    {
        $socket = $this->connect($mode);
        fwrite($socket, "GET /?old=1 HTTP/1.0\r\n\r\n");
        $answer = self::everything($socket);
        self::assertTrue(feof($socket));
        self::assertStringNotContainsString('chunked', $answer);

        self::assertSame(['HTTP/1.0', ['old' => '1']], [self::body($answer)['protocol'], self::body($answer)['query']]);
    }

    /** @return resource */
    private function connect(string $mode)
    {
        $socket = stream_socket_client("tcp://127.0.0.1:{$this->server($mode)->port}", timeout: Clock::PATIENCE);
        self::assertNotFalse($socket);
        stream_set_timeout($socket, (int) Clock::PATIENCE);

        return $socket;
    }

    /**
     * What comes until the server closes the connection.
     *
     * @param resource $socket
     */
    private static function everything($socket): string
    {
        $text = (string) stream_get_contents($socket);
        if (stream_get_meta_data($socket)['timed_out']) {
            Clock::late("the connection stays open after: $text");
        }

        return $text;
    }

    /** @return array<array-key, mixed> */
    private static function body(string $answer): array
    {
        self::assertStringContainsString(' 200 OK', explode("\r\n", $answer)[0]);
        $told = json_decode(explode("\r\n\r\n", $answer, 2)[1] ?? '', true);
        self::assertIsArray($told, $answer);

        return $told;
    }
}
