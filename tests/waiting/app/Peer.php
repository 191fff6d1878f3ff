<?php

declare(strict_types=1);

namespace Howdah\WaitingTests\App;

use RuntimeException;

/** Rows on the component SlowPeer; what it understands is told in peers/peer.php. */
final class Peer
{
    public static function setting(string $name): string
    {
        return Settings::of('SlowPeer')[$name];
    }

    /** @return string http://127.0.0.1:PORT/PATH */
    public static function url(string $path, float $seconds): string
    {
        return 'http://127.0.0.1:' . self::setting('tcp') . "/$path?s=$seconds";
    }

    /** The same through nginx, with TLS. */
    public static function secureUrl(string $path, float $seconds): string
    {
        return 'https://localhost:' . Settings::of('SlowNginx')['port'] . "/$path?s=$seconds";
    }

    /** @return array<string, array<string, mixed>> a context that trusts the peer's certificate */
    public static function trust(): array
    {
        return ['ssl' => ['cafile' => self::setting('certificate'), 'peer_name' => 'localhost']];
    }

    /**
     * A stream that has asked for something.
     *
     * @return resource
     */
    public static function asked(string $question, string $address = '')
    {
        $address = $address === '' ? 'tcp://127.0.0.1:' . self::setting('tcp') : $address;
        $stream = stream_socket_client($address, context: stream_context_create(self::trust()));
        if ($stream === false) {
            throw new RuntimeException("$address cannot be reached");
        }
        fwrite($stream, "$question\n");

        return $stream;
    }

    /** A port that nobody gets through to for a while. */
    public static function jam(float $seconds): int
    {
        $stream = self::asked("jam $seconds");

        return (int) fgets($stream);
    }
}
