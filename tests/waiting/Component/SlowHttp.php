<?php

declare(strict_types=1);

namespace Howdah\WaitingTests\Component;

use Howdah\HttpTests\Server;
use Howdah\WaitingTests\Component;
use Howdah\WaitingTests\Daemon;

/** An HTTP server that answers as late as it is asked to, for a crowd: peers/slow-http.php. */
final class SlowHttp implements Component
{
    private readonly Daemon $daemon;
    private readonly int $port;

    public function __construct()
    {
        $this->daemon = new Daemon('slow-http');
        $this->port = Server::freePort();
    }

    public function start(): void
    {
        $this->daemon->start(
            [PHP_BINARY, dirname(__DIR__) . '/peers/slow-http.php', (string) $this->port],
            fn (): bool => @stream_socket_client("tcp://127.0.0.1:{$this->port}") !== false,
        );
    }

    public function settings(): array
    {
        return ['url' => "http://127.0.0.1:{$this->port}"];
    }

    public function stop(): void
    {
        $this->daemon->remove();
    }
}
