<?php

declare(strict_types=1);

namespace Howdah\WaitingTests\Component;

use Howdah\WaitingTests\Port;

/** redis-server on a port and a Unix socket, and a slow way to it for commands that are to come later. */
final class Redis extends Proxied
{
    public function __construct()
    {
        parent::__construct('redis');
    }

    protected function launch(): void
    {
        $options = ['--bind', '127.0.0.1', '--port', (string) $this->port, '--unixsocket', $this->socket()];
        $this->daemon->start(
            ['redis-server', ...$options, '--unixsocketperm', '777', '--save', '', '--appendonly', 'no'],
            fn (): bool => Port::answers($this->port),
        );
    }

    public function settings(): array
    {
        return parent::settings() + ['socket' => $this->socket()];
    }

    private function socket(): string
    {
        return "{$this->daemon->folder}/redis.sock";
    }
}
