<?php

declare(strict_types=1);

namespace Howdah\WaitingTests\Component;

use Howdah\HttpTests\Server;
use Howdah\WaitingTests\Component;
use Howdah\WaitingTests\Daemon;
use Howdah\WaitingTests\Port;
use Howdah\WaitingTests\SlowProxy;

/** redis-server on a port and a Unix socket, and a slow way to it for commands that are to come later. */
final class Redis implements Component
{
    private readonly Daemon $daemon;
    private readonly SlowProxy $slow;
    private readonly int $port;

    public function __construct()
    {
        $this->daemon = new Daemon('redis');
        $this->port = Server::freePort();
        $this->slow = new SlowProxy("tcp://127.0.0.1:{$this->port}");
    }

    public function start(): void
    {
        $options = ['--bind', '127.0.0.1', '--port', (string) $this->port, '--unixsocket', $this->socket()];
        $this->daemon->start(
            ['redis-server', ...$options, '--unixsocketperm', '777', '--save', '', '--appendonly', 'no'],
            fn (): bool => Port::answers($this->port),
        );
        $this->slow->start();
    }

    public function settings(): array
    {
        return [
            'host' => '127.0.0.1',
            'port' => (string) $this->port,
            'slow' => (string) $this->slow->port,
            'socket' => $this->socket(),
        ];
    }

    public function stop(): void
    {
        $this->slow->stop();
        $this->daemon->remove();
    }

    private function socket(): string
    {
        return "{$this->daemon->folder}/redis.sock";
    }
}
