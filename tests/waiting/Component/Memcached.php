<?php

declare(strict_types=1);

namespace Howdah\WaitingTests\Component;

use Howdah\HttpTests\Server;
use Howdah\WaitingTests\Component;
use Howdah\WaitingTests\Daemon;
use Howdah\WaitingTests\Port;
use Howdah\WaitingTests\SlowProxy;

/** memcached, which never waits, and a slow way to it. */
final class Memcached implements Component
{
    private readonly Daemon $daemon;
    private readonly SlowProxy $slow;
    private readonly int $port;

    public function __construct()
    {
        // It refuses to run as root.
        $this->daemon = new Daemon('memcached', ['memcache', 'nobody']);
        $this->port = Server::freePort();
        $this->slow = new SlowProxy("tcp://127.0.0.1:{$this->port}");
    }

    public function start(): void
    {
        $command = ['memcached', '-l', '127.0.0.1', '-p', (string) $this->port, '-U', '0', '-m', '16'];
        $this->daemon->start($command, fn (): bool => Port::answers($this->port));
        $this->slow->start();
    }

    public function settings(): array
    {
        return ['host' => '127.0.0.1', 'port' => (string) $this->port, 'slow' => (string) $this->slow->port];
    }

    public function stop(): void
    {
        $this->slow->stop();
        $this->daemon->remove();
    }
}
