<?php

declare(strict_types=1);

namespace Howdah\WaitingTests\Component;

use Howdah\HttpTests\Server;
use Howdah\WaitingTests\Component;
use Howdah\WaitingTests\Daemon;
use Howdah\WaitingTests\Port;

/** Another process that has locks, semaphores and the like for a while: peers/holder.php; rows ask App\Holder. */
final class Holder implements Component
{
    private readonly Daemon $daemon;
    private readonly int $port;

    public function __construct()
    {
        $this->daemon = new Daemon('holder');
        $this->port = Server::freePort();
    }

    public function start(): void
    {
        $command = [PHP_BINARY, dirname(__DIR__) . '/peers/holder.php', (string) $this->port];
        $this->daemon->start($command, fn (): bool => Port::answers($this->port));
    }

    public function settings(): array
    {
        return ['port' => (string) $this->port];
    }

    public function stop(): void
    {
        $this->daemon->remove();
    }
}
