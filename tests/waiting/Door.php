<?php

declare(strict_types=1);

namespace Howdah\WaitingTests;

use Howdah\HttpTests\Server;

/** A way to several servers, with a port for each name, that can fall silent or go: for all of its connections at once. */
final class Door
{
    /** Of connect(2)'s end, as proc(5) numbers them: ESTABLISHED, and CLOSE_WAIT, where only the server has closed. */
    private const HELD = ['01', '08'];

    /** @var array<string, int> names and ports */
    public readonly array $ports;
    private readonly Daemon $daemon;

    /** @param array<string, int|string> $targets names, and ports of 127.0.0.1 to which they lead */
    public function __construct(array $targets)
    {
        $this->daemon = new Daemon('door');
        $this->ports = array_map(static fn (): int => Server::freePort(), $targets);
        $command = [PHP_BINARY, __DIR__ . '/peers/proxy.php'];
        foreach ($targets as $name => $target) {
            array_push($command, (string) $this->ports[$name], "tcp://127.0.0.1:$target");
        }
        $last = $this->ports[array_key_last($this->ports)];
        $this->daemon->start($command, static fn (): bool => Port::answers($last));
    }

    /** SIGSTOP: nothing that comes is read, but the kernel still takes it. SIGKILL: the connections end. */
    public function signal(int $signal): void
    {
        posix_kill($this->daemon->pid(), $signal);
    }

    /** @return list<string> for each connection through it that a client has not closed, its name */
    public function held(): array
    {
        $names = array_flip($this->ports);
        $held = [];
        foreach (Connections::lines() as $line) {
            [, , $remote, $state] = preg_split('/ +/', trim($line)) ?: [];
            $name = $names[(int) hexdec(substr($remote, -4))] ?? null;
            if ($name !== null && in_array($state, self::HELD, true)) {
                $held[] = $name;
            }
        }
        sort($held);

        return $held;
    }

    public function remove(): void
    {
        // One that is stopped takes no other signal.
        $this->daemon->end(SIGKILL);
        $this->daemon->remove();
    }
}
