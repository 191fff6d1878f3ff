<?php

declare(strict_types=1);

namespace Howdah\WaitingTests;

use Howdah\HttpTests\Server;

/** In front of a server that cannot wait: peers/proxy.php holds requests back that have `wait:SECONDS:` in them. */
final class SlowProxy
{
    public readonly int $port;
    private readonly Daemon $daemon;

    /** @param string $target as stream_socket_client() takes it */
    public function __construct(private readonly string $target)
    {
        $this->port = Server::freePort();
        $this->daemon = new Daemon('proxy');
    }

    public function start(): void
    {
        $command = [PHP_BINARY, __DIR__ . '/peers/proxy.php', (string) $this->port, $this->target];
        $this->daemon->start($command, fn (): bool => Port::answers($this->port));
    }

    public function stop(): void
    {
        $this->daemon->remove();
    }
}
