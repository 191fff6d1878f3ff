<?php

declare(strict_types=1);

namespace Howdah\WaitingTests\Component;

use Howdah\HttpTests\Server;
use Howdah\WaitingTests\Component;
use Howdah\WaitingTests\Daemon;
use Howdah\WaitingTests\Port;

/** Not the real one, which Debian does not have: peers/mongo.php. */
final class Mongo implements Component
{
    private readonly Daemon $daemon;
    private readonly int $port;

    public function __construct()
    {
        $this->daemon = new Daemon('mongo');
        $this->port = Server::freePort();
    }

    public function start(): void
    {
        $command = [PHP_BINARY, dirname(__DIR__) . '/peers/mongo.php', (string) $this->port];
        $this->daemon->start($command, fn (): bool => Port::answers($this->port));
    }

    public function settings(): array
    {
        return ['host' => '127.0.0.1', 'port' => (string) $this->port];
    }

    public function stop(): void
    {
        $this->daemon->remove();
    }
}
