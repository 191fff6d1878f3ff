<?php

declare(strict_types=1);

namespace Howdah\WaitingTests\Component;

use Howdah\HttpTests\Server;
use Howdah\WaitingTests\Certificate;
use Howdah\WaitingTests\Component;
use Howdah\WaitingTests\Daemon;

/** Speaks lines and HTTP on TCP, TLS, UDP and a Unix socket, and takes the time that it is asked to take: peers/peer.php. */
final class SlowPeer implements Component
{
    private readonly Daemon $daemon;

    /** @var array<string, string> */
    private readonly array $settings;

    public function __construct()
    {
        $this->daemon = new Daemon('peer');
        $this->settings = [
            'tcp' => (string) Server::freePort(),
            'tls' => (string) Server::freePort(),
            'udp' => (string) Server::freePort(),
            'unix' => "{$this->daemon->folder}/socket",
            'certificate' => "{$this->daemon->folder}/server.crt",
            'key' => "{$this->daemon->folder}/server.key",
        ];
    }

    public function start(): void
    {
        Certificate::write($this->daemon->folder);
        $this->daemon->start(
            [PHP_BINARY, dirname(__DIR__) . '/peers/peer.php', json_encode($this->settings, JSON_THROW_ON_ERROR)],
            fn (): bool => str_contains($this->daemon->log(), 'ready'),
        );
    }

    public function settings(): array
    {
        return $this->settings;
    }

    public function stop(): void
    {
        $this->daemon->remove();
    }
}
