<?php

declare(strict_types=1);

namespace Howdah\WaitingTests\Component;

use Howdah\HttpTests\Server;
use Howdah\WaitingTests\Component;
use Howdah\WaitingTests\Daemon;

/** A server that is late, or silent: peers/late.php; rows ask App\Late for a port. */
final class Late implements Component
{
    private readonly Daemon $daemon;
    private readonly int $control;
    private readonly int $silent;

    public function __construct()
    {
        $this->daemon = new Daemon('late');
        $this->control = Server::freePort();
        $this->silent = Server::freePort();
    }

    public function start(): void
    {
        $script = dirname(__DIR__) . '/peers/late.php';
        $this->daemon->start([PHP_BINARY, $script, (string) $this->control, (string) $this->silent], function (): bool {
            $socket = @stream_socket_client("tcp://127.0.0.1:{$this->control}");

            return $socket !== false;
        });
    }

    public function settings(): array
    {
        return ['control' => (string) $this->control, 'silent' => (string) $this->silent];
    }

    public function stop(): void
    {
        $this->daemon->remove();
    }
}
