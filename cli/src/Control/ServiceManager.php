<?php

declare(strict_types=1);

namespace Howdah\Cli\Control;

/**
 * Tells systemd what a service does, as sd_notify(3): that it serves, that it stops, and, where the unit has WatchdogSec, that
 * it goes on. Without a manager that wants to know, nothing is told; one that does not listen is no reason not to serve.
 */
final class ServiceManager
{
    /** Variables that are the manager's word to this process, and to no other. */
    public const VARIABLES = [
        'NOTIFY_SOCKET', 'WATCHDOG_PID', 'WATCHDOG_USEC',
        // PassedSocket's.
        'LISTEN_PID', 'LISTEN_FDS', 'LISTEN_FDNAMES',
    ];

    /** @var resource|null */
    private $socket;

    /** Nanoseconds between two signs of life; 0: nobody waits for one. */
    private int $interval = 0;
    private int $shown = 0;
    private string $told = '';

    public function __construct()
    {
        $path = (string) getenv('NOTIFY_SOCKET');
        if ($path === '' || !in_array($path[0], ['/', '@'], true)) {
            return;
        }
        $address = $path[0] === '@' ? "\0" . substr($path, 1) : $path;
        $socket = @stream_socket_client("udg://$address", $code, $message, 1);
        if ($socket === false) {
            return;
        }
        $this->socket = $socket;
        // Its manager waits: never longer than for a moment.
        stream_set_blocking($socket, false);
        $isOurs = in_array(getenv('WATCHDOG_PID'), [false, (string) getmypid()], true);
        $this->interval = $isOurs ? (int) getenv('WATCHDOG_USEC') * 1000 : 0;
    }

    public function serves(string $what): void
    {
        $this->tell("READY=1\nSTATUS=" . self::line($what));
    }

    /** What it does meanwhile, or why it does not serve. */
    public function says(string $what): void
    {
        $this->tell('STATUS=' . self::line($what));
    }

    public function stops(): void
    {
        $this->tell('STOPPING=1');
    }

    /** To be called again and again by what must not stand still. */
    public function lives(): void
    {
        if ($this->interval === 0 || hrtime(true) - $this->shown < intdiv($this->interval, 4)) {
            return;
        }
        $this->shown = hrtime(true);
        $this->send('WATCHDOG=1');
    }

    /** Seconds from one sign of life to the next; INF: nobody waits for one. */
    public function pace(): float
    {
        return $this->interval === 0 ? INF : $this->interval / 4 / 1e9;
    }

    private function tell(string $state): void
    {
        if ($state === $this->told) {
            return;
        }
        $this->told = $state;
        $this->send($state);
    }

    private function send(string $state): void
    {
        if ($this->socket !== null) {
            @fwrite($this->socket, $state);
        }
    }

    private static function line(string $text): string
    {
        return (string) preg_replace('/[\x00-\x1f\x7f]+/', ' ', $text);
    }
}
