<?php

declare(strict_types=1);

namespace Howdah\HttpTests;

use Howdah\Tests\Clock;
use Howdah\WaitingTests\Certificate;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;

/** After fastcgi_finish_request() a client whose connection gets no further request reads its end while the script goes on. */
#[Group('flow')]
#[Group('other')]
final class LastAnswerTest extends DirectiveTestCase
{
    private const LARGE = 3_000_000;

    public static function setUpBeforeClass(): void
    {
        require_once __DIR__ . '/../waiting/Certificate.php';
    }

    #[DataProvider('modes')]
    public function test_the_client_reads_the_end_while_the_script_goes_on(string $mode): void
    {
        $ports = ['tcp' => Server::freePort(), 'ssl' => Server::freePort(), 'proxied' => Server::freePort()];
        Certificate::write($this->folder);
        $this->serve($mode, "listen 127.0.0.1:{$ports['tcp']}; listen 127.0.0.1:{$ports['ssl']} ssl;"
            . " listen 127.0.0.1:{$ports['proxied']} proxy_protocol;"
            . " ssl_certificate {$this->folder}/server.crt; ssl_certificate_key {$this->folder}/server.key;");

        foreach ([' HTTP/1.0', " HTTP/1.1\r\nConnection: close"] as $version) {
            foreach ([0, self::LARGE] as $bytes) {
                $this->askAll($ports, $version, $bytes);
            }
        }

        self::assertDoesNotMatchRegularExpression('/\[(emerg|alert|crit|error)\]|exited on/', $this->log());
    }

    /** @param array<string, int> $ports */
    private function askAll(array $ports, string $version, int $bytes): void
    {
        $door = new Door();
        foreach ($ports as $kind => $port) {
            $what = "$kind,$version, $bytes bytes";
            $proxy = $kind === 'proxied' ? "PROXY TCP4 192.0.2.1 127.0.0.1 1000 $port\r\n" : '';
            $uri = "/finish?at={$door->path}&file={$this->folder}/$kind&bytes=$bytes";
            $answer = self::whole($kind, $port, "{$proxy}GET $uri$version\r\nHost: localhost\r\n\r\n");
            self::assertStringContainsString('early', $answer, $what);
            self::assertGreaterThan($bytes, strlen($answer), $what);
            self::assertFileDoesNotExist("{$this->folder}/$kind", "$what: the script waits");
        }
        $door->await(3)->open();

        // Their clients have gone, and they go on.
        foreach (array_keys($ports) as $kind) {
            Clock::await(fn (): bool => is_file("{$this->folder}/$kind"), "$kind: the script ends");
            unlink("{$this->folder}/$kind");
        }
    }

    /** All that comes until the connection ends; with TLS, until it is said. */
    private static function whole(string $kind, int $port, string $request): string
    {
        $transport = $kind === 'ssl' ? 'ssl' : 'tcp';
        $context = stream_context_create(['ssl' => ['verify_peer' => false, 'verify_peer_name' => false]]);
        $flags = STREAM_CLIENT_CONNECT;
        $socket = stream_socket_client("$transport://127.0.0.1:$port", $code, $message, Clock::PATIENCE, $flags, $context);
        self::assertIsResource($socket, (string) $message);
        stream_set_timeout($socket, (int) Clock::PATIENCE);
        fwrite($socket, $request);
        $answer = (string) stream_get_contents($socket);
        if (stream_get_meta_data($socket)['timed_out']) {
            Clock::late("$kind: the connection does not end");
        }

        return $answer;
    }
}
