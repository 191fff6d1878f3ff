<?php

declare(strict_types=1);

namespace Howdah\Cli\Control;

use Howdah\Cli\Failure;

/**
 * The socket that a service's manager listens on for this command, as sd_listen_fds(3): connections wait in it while the server
 * starts, or is started again. nginx takes it as it would from the nginx before it (ngx_add_inherited_sockets(), core/nginx.c).
 */
final readonly class PassedSocket
{
    private const FIRST = 3;
    private const LISTENS = '0A';

    /** __SO_ACCEPTCON among the flags, and SOCK_STREAM. */
    private const PATH_LISTENS = [0x10000, 1];

    /** @param string $address as --listen has it */
    private function __construct(public string $address)
    {
    }

    /** Null: none was passed. */
    public static function find(): ?self
    {
        if (!self::isPassed()) {
            return null;
        }
        $count = (int) getenv('LISTEN_FDS');
        if ($count !== 1) {
            throw new Failure("systemd passes $count sockets, and one is served: give the .socket unit one ListenStream=, and"
                . ' another site a unit of its own');
        }
        $file = '/proc/self/fd/' . self::FIRST;
        $inode = preg_match('/^socket:\[(\d+)\]$/D', (string) @readlink($file), $match) === 1 ? $match[1] : '';
        $address = $inode === '' ? null : self::port($inode, 'tcp') ?? self::port($inode, 'tcp6') ?? self::path($inode);
        if ($address === null) {
            throw new Failure("systemd passes a descriptor ($file) that is no socket which listens: the .socket unit needs"
                . ' ListenStream=, and Accept=no');
        }

        self::unblock();

        return new self($address);
    }

    /** As nginx makes its own sockets: who looks for a connection in vain waits for none. That belongs to the socket itself. */
    private static function unblock(): void
    {
        $socket = @fopen('php://fd/' . self::FIRST, 'r');
        if ($socket === false || !stream_set_blocking($socket, false)) {
            throw new Failure('the socket that systemd passes cannot be set to not block: give the service NonBlocking=yes');
        }
        fclose($socket);
    }

    /** @return array<string, string>|null the environment of nginx, which takes the socket; null: as it is */
    public static function environment(): ?array
    {
        return self::isPassed() ? ['NGINX' => self::FIRST . ';'] + getenv() : null;
    }

    /**
     * For programs beside nginx, which may outlive it and would hold the socket.
     *
     * @param  non-empty-list<string> $command
     * @return non-empty-list<string> the same program, without the socket
     */
    public static function without(array $command): array
    {
        return self::isPassed() ? ['sh', '-c', 'exec "$@" ' . self::FIRST . '<&-', 'sh', ...$command] : $command;
    }

    private static function isPassed(): bool
    {
        return getenv('LISTEN_PID') === (string) getmypid() && (int) getenv('LISTEN_FDS') > 0;
    }

    /** As the kernel tells it (proc_pid_net(5)): words of the machine's byte order, in hexadecimal digits. */
    private static function port(string $inode, string $protocol): ?string
    {
        foreach (self::rows($protocol) as $row) {
            [$local, $state] = [$row[1] ?? '', $row[3] ?? ''];
            if (($row[9] ?? '') !== $inode || $state !== self::LISTENS || !str_contains($local, ':')) {
                continue;
            }
            [$host, $port] = explode(':', $local);
            $bytes = implode('', array_map(static fn (string $word): string => pack('L', hexdec($word)), str_split($host, 8)));
            $text = (string) inet_ntop($bytes);

            return ($protocol === 'tcp6' ? "[$text]" : $text) . ':' . hexdec($port);
        }

        return null;
    }

    private static function path(string $inode): ?string
    {
        foreach (self::rows('unix') as $row) {
            $state = [hexdec($row[3] ?? '') & self::PATH_LISTENS[0], hexdec($row[4] ?? '')];
            if (($row[6] ?? '') === $inode && $state === self::PATH_LISTENS && str_starts_with($row[7] ?? '', '/')) {
                return "unix:{$row[7]}";
            }
        }

        return null;
    }

    /** @return list<list<string>> */
    private static function rows(string $table): array
    {
        $lines = @file("/proc/self/net/$table", FILE_IGNORE_NEW_LINES);

        // A path may have spaces in it.
        $most = $table === 'unix' ? 8 : -1;

        return array_map(static fn (string $line): array => preg_split('/\s+/', trim($line), $most) ?: [], $lines ?: []);
    }
}
