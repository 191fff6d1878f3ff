<?php

declare(strict_types=1);

namespace Howdah\Cli\Tests;

use Howdah\Cli\Listen;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\TestWith;

final class ListenTest extends CliTestCase
{
    #[TestWith(['127.0.0.1:8080', '127.0.0.1:8080', true])]
    #[TestWith(['127.0.0.1:8080', 'localhost:8080', true])]
    #[TestWith(['0.0.0.0:8080', '127.0.0.1:8080', true])]
    #[TestWith(['127.0.0.1:8080', '[::]:8080', true])]
    #[TestWith(['127.0.0.1:8080', '127.0.0.2:8080', false])]
    #[TestWith(['0.0.0.0:8080', '127.0.0.1:8081', false])]
    #[TestWith(['unix:/run/a', '127.0.0.1:8080', false])]
    #[TestWith(['unix:/run/a', 'unix:/run/a', true])]
    public function test_visitors_of_one_address_may_come_to_another(string $one, string $other, bool $overlaps): void
    {
        self::assertSame($overlaps, Listen::parse($one)->overlaps(Listen::parse($other)));
        self::assertSame($overlaps, Listen::parse($other)->overlaps(Listen::parse($one)));
    }

    #[TestWith(['localhost:8080', '127.0.0.1:8080', true])]
    #[TestWith(['[0::0:1]:8080', '[::1]:8080', true])]
    #[TestWith(['unix:/run/a', 'unix:/run/a', true])]
    #[TestWith(['localhost:8080', '127.0.0.1:8081', false])]
    #[TestWith(['0.0.0.0:8080', '127.0.0.1:8080', false])]
    #[TestWith(['0.0.0.0:8080', '[::]:8080', false])]
    #[TestWith(['unix:/run/a', 'unix:/run/b', false])]
    public function test_one_address_may_be_said_in_several_ways(string $one, string $other, bool $isSame): void
    {
        self::assertSame($isSame, Listen::parse($one)->isSame(Listen::parse($other)));
    }

    /** @return iterable<string, array{string, string, string}> */
    public static function addresses(): iterable
    {
        yield 'host and port' => ['127.0.0.1:8080', '127.0.0.1:8080', 'http://127.0.0.1:8080'];
        yield 'a port alone is for this machine' => ['9000', '127.0.0.1:9000', 'http://127.0.0.1:9000'];
        yield 'a colon and a port is for everybody' => [':9000', '0.0.0.0:9000', 'http://0.0.0.0:9000'];
        yield 'a star is for everybody' => ['*:9000', '0.0.0.0:9000', 'http://0.0.0.0:9000'];
        yield 'a name' => ['localhost:80', 'localhost:80', 'http://localhost:80'];
        yield 'IPv6' => ['[::1]:8080', '[::1]:8080', 'http://[::1]:8080'];
        yield 'a Unix socket' => ['unix:/run/app.sock', 'unix:/run/app.sock', 'unix:/run/app.sock'];
    }

    #[DataProvider('addresses')]
    public function test_an_address_is_understood(string $text, string $nginx, string $url): void
    {
        $listen = Listen::parse($text);

        self::assertSame($nginx, $listen->toNginx());
        self::assertSame($url, $listen->toUrl());
    }

    /** @return iterable<array{string, string}> */
    public static function mistakes(): iterable
    {
        yield 'nothing' => ['', 'no address'];
        yield '127.0.0.1' => ['127.0.0.1', 'no address'];
        yield '127.0.0.1:' => ['127.0.0.1:', 'no address'];
        yield '127.0.0.1:http' => ['127.0.0.1:http', 'no address'];
        yield '127.0.0.1:0' => ['127.0.0.1:0', 'port 0 is out of range'];
        yield '127.0.0.1:65536' => ['127.0.0.1:65536', 'port 65536 is out of range'];
        yield '127.0.0.1:-1' => ['127.0.0.1:-1', 'no address'];
        yield '[zz]:80' => ['[zz]:80', 'no address'];
        yield '[1:2]:80' => ['[1:2]:80', 'no IPv6 address'];
        yield 'unix:' => ['unix:', 'no address'];
        yield 'unix:/a;b' => ['unix:/a;b', 'no address'];
        yield '1.1.1.1:80; deny all' => ['1.1.1.1:80; deny all', 'no address'];
        yield "a line's end" => ["127.0.0.1:80\n", 'no address'];
        yield 'no-such-host.invalid:80' => ['no-such-host.invalid:80', 'there is no host no-such-host.invalid'];
    }

    #[DataProvider('mistakes')]
    public function test_a_mistake_is_named_and_an_example_given(string $text, string $cause): void
    {
        try {
            Listen::parse($text);
            self::fail("'$text' was taken for an address");
        } catch (\Howdah\Cli\Failure $failure) {
            self::assertStringContainsString("--listen=$text", $failure->getMessage());
            self::assertStringContainsString($cause, $failure->getMessage());
        }
    }

    public function test_a_port_in_use_is_noticed_before_nginx_starts(): void
    {
        $other = stream_socket_server('tcp://127.0.0.1:0');
        self::assertNotFalse($other);
        $address = (string) stream_socket_get_name($other, false);

        $message = $this->failure(fn () => Listen::parse($address)->assertFree());

        self::assertStringContainsString("$address: the port is in use", $message);
        self::assertStringContainsString('choose another with --listen', $message);
    }

    public function test_an_address_of_another_machine_is_refused(): void
    {
        $message = $this->failure(fn () => Listen::parse('192.0.2.1:8080')->assertFree());

        self::assertStringContainsString('this machine has no address 192.0.2.1', $message);
    }

    public function test_a_socket_that_a_killed_server_left_behind_is_removed(): void
    {
        $path = $this->project([]) . '/app.sock';
        $other = stream_socket_server("unix://$path");
        self::assertNotFalse($other);
        $inUse = $this->failure(fn () => Listen::parse("unix:$path")->assertFree());
        fclose($other);

        Listen::parse("unix:$path")->assertFree();

        self::assertStringContainsString('something is there already', $inUse);
        self::assertFileDoesNotExist($path);
    }

    public function test_a_file_is_never_taken_for_a_socket_left_behind(): void
    {
        $path = $this->project(['app.sock' => 'precious']) . '/app.sock';

        $this->failure(fn () => Listen::parse("unix:$path")->assertFree());

        self::assertFileExists($path);
    }
}
