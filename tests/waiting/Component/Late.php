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
    private readonly int $full;

    public function __construct()
    {
        $this->daemon = new Daemon('late');
        $this->control = Server::freePort();
        $this->silent = Server::freePort();
        $this->full = Server::freePort();
    }

    public function start(): void
    {
        $script = dirname(__DIR__) . '/peers/late.php';
        $ports = array_map(strval(...), [$this->control, $this->silent, $this->full]);
        $this->daemon->start([PHP_BINARY, $script, ...$ports], function (): bool {
            $socket = @stream_socket_client("tcp://127.0.0.1:{$this->control}");

            return $socket !== false;
        });
    }

    public function settings(): array
    {
        return [
            'control' => (string) $this->control,
            'silent' => (string) $this->silent,
            'full' => (string) $this->full,
        ];
    }

    public function stop(): void
    {
        $this->daemon->remove();
    }
}
