<?php

declare(strict_types=1);

namespace Howdah\WaitingTests\Component;

use Howdah\HttpTests\Server;
use Howdah\WaitingTests\Component;
use Howdah\WaitingTests\Daemon;

/** A port that takes no more connections: peers/full.php. */
final class Full implements Component
{
    private readonly Daemon $daemon;
    private readonly int $port;

    public function __construct()
    {
        $this->daemon = new Daemon('full');
        $this->port = Server::freePort();
    }

    public function start(): void
    {
        $command = [PHP_BINARY, dirname(__DIR__) . '/peers/full.php', (string) $this->port];
        $this->daemon->start($command, fn (): bool => is_file("{$this->daemon->folder}/ready"));
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
