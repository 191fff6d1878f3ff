<?php

declare(strict_types=1);

namespace Howdah\WaitingTests\Component;

use Howdah\HttpTests\Server;
use Howdah\WaitingTests\Component;
use Howdah\WaitingTests\Daemon;
use Howdah\WaitingTests\SlowProxy;

/** A server on a port, and a slow way to it: what has `wait:SECONDS:` in it takes so long. */
abstract class Proxied implements Component
{
    protected readonly Daemon $daemon;
    protected readonly int $port;
    private readonly SlowProxy $slow;

    /** @param list<string> $users as Daemon takes them */
    protected function __construct(string $name, array $users = [])
    {
        $this->daemon = new Daemon($name, $users);
        $this->port = Server::freePort();
        $this->slow = new SlowProxy("tcp://127.0.0.1:{$this->port}");
    }

    /** Starts the server; returns when it takes connections. */
    abstract protected function launch(): void;

    final public function start(): void
    {
        $this->launch();
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
