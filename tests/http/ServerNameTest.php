<?php

declare(strict_types=1);

namespace Howdah\HttpTests;

use Howdah\Tests\Clock;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;

/** SERVER_NAME: the server's own, or what the client asked for. */
#[Group('other')]
final class ServerNameTest extends DirectiveTestCase
{
    /** Sent as they are; what is said of a server without a name, and what of one that has one. */
    private const REQUESTS = [
        'a name' => ["GET /echo HTTP/1.1\r\nHost: shop.example\r\n", 'shop.example'],
        'a port' => ["GET /echo HTTP/1.1\r\nHost: shop.example:8080\r\n", 'shop.example'],
        'capitals' => ["GET /echo HTTP/1.1\r\nHost: Shop.EXAMPLE:80\r\n", 'shop.example'],
        'a dot at the end' => ["GET /echo HTTP/1.1\r\nHost: shop.example.\r\n", 'shop.example'],
        'an address' => ["GET /echo HTTP/1.1\r\nHost: 192.0.2.7:81\r\n", '192.0.2.7'],
        'IPv6' => ["GET /echo HTTP/1.1\r\nHost: [2001:DB8::1]:8080\r\n", '[2001:db8::1]'],
        'IPv6 without a port' => ["GET /echo HTTP/1.1\r\nHost: [::1]\r\n", '[::1]'],
        'the whole address' => ["GET http://Other.example:81/echo HTTP/1.1\r\nHost: shop.example\r\n", 'other.example'],
        'HTTP/1.0' => ["GET /echo HTTP/1.0\r\nHost: shop.example:8080\r\n", 'shop.example'],
        'HTTP/1.0 without a name' => ["GET /echo HTTP/1.0\r\n", null],
    ];

    #[DataProvider('modes')]
    public function test_a_server_without_a_name_has_the_one_that_it_is_asked_by(string $mode): void
    {
        $six = self::portOfIpv6();
        $this->serve($mode, "listen unix:{$this->folder}/socket;" . ($six === 0 ? '' : " listen [::1]:$six;"));

        foreach (self::REQUESTS as $what => [$request, $name]) {
            self::assertSame($name ?? '127.0.0.1', $this->ask("tcp://127.0.0.1:{$this->port}", $request), $what);
            self::assertSame($name ?? 'localhost', $this->ask("unix://{$this->folder}/socket", $request), "$what, socket");
            if ($six !== 0) {
                self::assertSame($name ?? '[::1]', $this->ask("tcp://[::1]:$six", $request), "$what, IPv6");
            }
        }
    }

    public function test_a_name_of_its_own_is_the_servers_whatever_it_is_asked_by(): void
    {
        $this->serve('worker', 'server_name Named.example other.example;');

        foreach (self::REQUESTS as $what => [$request]) {
            self::assertSame('named.example', $this->ask("tcp://127.0.0.1:{$this->port}", $request), $what);
        }
    }

    /** Where the machine has it. */
    private static function portOfIpv6(): int
    {
        $port = Server::freePort();
        $there = @stream_socket_server("tcp://[::1]:$port");
        if ($there === false) {
            return 0;
        }
        fclose($there);

        return $port;
    }

    private function ask(string $address, string $request): mixed
    {
        $socket = stream_socket_client($address, $code, $message, Clock::PATIENCE);
        self::assertIsResource($socket, (string) $message);
        stream_set_timeout($socket, (int) Clock::PATIENCE);
        fwrite($socket, "{$request}Connection: close\r\n\r\n");
        $answer = (string) stream_get_contents($socket);
        if (stream_get_meta_data($socket)['timed_out']) {
            Clock::late('the server is silent');
        }
        // Of HTTP/1.1 maybe in chunks: JSON in braces.
        $found = preg_match('/\r\n\r\n.*?(\{.+\})/s', $answer, $match) === 1 ? json_decode($match[1], true) : null;
        self::assertIsArray($found, $answer . $this->log());
        self::assertIsArray($found['server']);

        return $found['server']['SERVER_NAME'] ?? null;
    }
}
