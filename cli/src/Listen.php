<?php

declare(strict_types=1);

namespace Howdah\Cli;

/** The address that the server listens on: host and port, or the path of a Unix socket. */
final readonly class Listen
{
    private const SYNTAX = 'give HOST:PORT, PORT, [IPV6]:PORT or unix:/path, as in --listen=127.0.0.1:8080';

    /** Ports that are tried one after another where nobody has named one. */
    private const NEXT_PORTS = 100;

    /**
     * @param bool $isNamed another port would not do
     * @param bool $isTls   whoever asks there speaks TLS
     */
    private function __construct(
        private string $host,
        private int $port,
        private ?string $path = null,
        private bool $isNamed = true,
        private bool $isTls = false,
    ) {
    }

    /**
     * @param string|null $option as it was given, for messages; null: --listen
     * @param string      $syntax what is right there
     */
    public static function parse(string $text, ?string $option = null, string $syntax = self::SYNTAX): self
    {
        $option ??= "--listen=$text";
        if (str_starts_with($text, 'unix:')) {
            $path = substr($text, 5);
            if ($path === '' || preg_match('/[\s"\';{}\\\\]/', $path) === 1) {
                throw new Failure("$option is no address to listen on: " . $syntax);
            }

            return new self('', 0, $path[0] === '/' ? $path : getcwd() . '/' . $path);
        }
        $host = '(?<host>\*|\[[0-9a-fA-F:.]+\]|[A-Za-z0-9_][A-Za-z0-9_.-]*)?';
        if (preg_match("/^(?:$host:)?(?<port>\d{1,6})$/D", $text, $match) !== 1) {
            throw new Failure("$option is no address to listen on: " . $syntax);
        }
        $port = (int) $match['port'];
        if ($port < 1 || $port > 65535) {
            throw new Failure("$option: port $port is out of range: give one from 1 to 65535");
        }
        $given = $match['host'];
        $host = match (true) {
            $given !== '' && $given !== '*' => $given,
            str_contains($text, ':') => '0.0.0.0',
            default => '127.0.0.1',
        };
        $address = trim($host, '[]');
        if ($host[0] === '[' && filter_var($address, FILTER_VALIDATE_IP, FILTER_FLAG_IPV6) === false) {
            throw new Failure("$option: $address is no IPv6 address: " . $syntax);
        }
        if ($host[0] !== '[' && filter_var(gethostbyname($host), FILTER_VALIDATE_IP) === false) {
            throw new Failure("$option: there is no host $host: " . $syntax);
        }

        return new self($host, $port);
    }

    /** Nobody has named this port: another one is as good. */
    public function orNext(): self
    {
        return new self($this->host, $this->port, $this->path, false, $this->isTls);
    }

    public function withTls(): self
    {
        if ($this->path !== null) {
            throw new Failure("--tls and a Unix socket, {$this->toNginx()}: who is in front of it speaks TLS; leave out --tls,"
                . ' or listen on a port');
        }

        return new self($this->host, $this->port, null, $this->isNamed, true);
    }

    /**
     * Itself, or with the next port where this one is in use, or is to be used for $other, and nobody has named it.
     *
     * What was chosen is kept from other servers that choose: until nginx listens, nobody would see that it is taken.
     */
    public function free(?self $other = null): self
    {
        $end = min(65535, $this->port + self::NEXT_PORTS);
        for ($port = $this->port; !$this->isNamed && $port <= $end; $port++) {
            $next = new self($this->host, $port, null, true, $this->isTls);
            if ($other?->overlaps($next) === true) {
                continue;
            }
            if (Reservation::take($next->toNginx()) && $next->tryToBind() !== SOCKET_EADDRINUSE) {
                return $port === $this->port ? $this : $next;
            }
        }

        return $this;
    }

    /** Whether only this machine can reach it. */
    public function isLocal(): bool
    {
        $address = $this->host();

        return $this->path !== null || $address === '::1' || str_starts_with(gethostbyname($address), '127.');
    }

    /** Whether it is a port that only this machine can reach. Who asks at a Unix socket speaks for others, mostly. */
    public function isLoopback(): bool
    {
        return $this->path === null && $this->isLocal();
    }

    /** @return list<string> regular expressions for names that lead to this machine wherever they are asked for, and its own there */
    public function ownNames(): array
    {
        $host = str_contains($this->host(), ':') ? $this->host : strtolower($this->host());

        return ['([\w-]+\.)*localhost', '127\.\d+\.\d+\.\d+', '\[::1\]', ...($this->isLoopback() ? [preg_quote($host)] : [])];
    }

    /** Whether some visitors of the other one would come here. */
    public function overlaps(self $other): bool
    {
        if ($this->path !== null || $other->path !== null || $this->port !== $other->port) {
            return $this->toNginx() === $other->toNginx();
        }
        $hosts = [gethostbyname($this->host()), gethostbyname($other->host())];

        return $hosts[0] === $hosts[1] || array_intersect($hosts, ['0.0.0.0', '::']) !== [];
    }

    /** Whether it is the same address in other words, as localhost:8080 and 127.0.0.1:8080. */
    public function isSame(self $other): bool
    {
        $parts = static fn (self $listen): array => [
            $listen->path,
            $listen->port,
            @inet_pton(gethostbyname($listen->host())),
        ];

        return $parts($this) === $parts($other);
    }

    /** A name, or an address without brackets; empty: a Unix socket. */
    public function host(): string
    {
        return trim($this->host, '[]');
    }

    public function port(): int
    {
        return $this->port;
    }

    /** A port of this machine's own that is free now. */
    public static function anyPort(): self
    {
        $socket = socket_create(AF_INET, SOCK_STREAM, SOL_TCP);
        if ($socket === false || !@socket_bind($socket, '127.0.0.1', 0) || !socket_getsockname($socket, $host, $port)) {
            throw new Failure('cannot listen on 127.0.0.1: ' . lcfirst(socket_strerror(socket_last_error())));
        }
        socket_close($socket);

        return new self('127.0.0.1', is_int($port) ? $port : 0);
    }

    /** For workers of another user than root: nginx's master makes a socket and changes its mode, both by its path. */
    public function underRoot(string $user): self
    {
        if ($this->path === null) {
            return $this;
        }
        $place = new Place(dirname($this->path));
        $way = 'name one in a folder of root\'s, as in /run';
        $place->assertRoots("--listen=unix:{$this->path}, --user=$user", true, $way);

        return new self('', 0, rtrim($place->path, '/') . '/' . basename($this->path), $this->isNamed);
    }

    /** As nginx's `listen` wants it. */
    public function toNginx(): string
    {
        return $this->path === null ? "{$this->host}:{$this->port}" : "unix:{$this->path}";
    }

    /** As a person would use it. */
    public function toUrl(): string
    {
        if ($this->path !== null) {
            return "unix:{$this->path}";
        }

        return ($this->isTls ? 'https' : 'http') . "://{$this->host}:{$this->port}";
    }

    /** Says in time and in our own words what nginx would say after five attempts. */
    public function assertFree(string $option = '--listen'): void
    {
        if ($this->path !== null) {
            $this->assertPathFree($this->path);

            return;
        }
        $code = $this->tryToBind();
        if ($code === 0) {
            return;
        }
        throw new Failure(match ($code) {
            SOCKET_EADDRINUSE => "cannot listen on {$this->toNginx()}: the port is in use by another program; stop it"
                . " (`ss -ltnp 'sport = :{$this->port}'` names it) or choose another with $option=HOST:PORT",
            SOCKET_EACCES => "cannot listen on {$this->toNginx()}: permission denied; ports below 1024 need root:"
                . " choose another, as in $option=127.0.0.1:8080",
            SOCKET_EADDRNOTAVAIL => "cannot listen on {$this->toNginx()}: this machine has no address {$this->host}; use one"
                . ' that `ip address` lists, 127.0.0.1 for this machine alone, or 0.0.0.0 for all',
            default => "cannot listen on {$this->toNginx()}: " . lcfirst(socket_strerror($code))
                . "; choose another address with $option",
        });
    }

    /** 0 or errno. */
    private function tryToBind(): int
    {
        $socket = socket_create($this->host[0] === '[' ? AF_INET6 : AF_INET, SOCK_STREAM, SOL_TCP);
        if ($socket === false) {
            return socket_last_error();
        }
        // As nginx does: connections that end slowly do not count as use.
        socket_set_option($socket, SOL_SOCKET, SO_REUSEADDR, 1);
        $bound = @socket_bind($socket, $this->host(), $this->port) && @socket_listen($socket);
        $code = $bound ? 0 : socket_last_error($socket);
        socket_close($socket);

        return $code;
    }

    /** nginx refuses a path that exists. A socket that nobody answers is what a killed server left behind. */
    private function assertPathFree(string $path): void
    {
        if (!is_dir(dirname($path)) || !is_writable(dirname($path))) {
            throw new Failure("cannot listen on unix:$path: its folder does not exist or is not writable; choose another path");
        }
        if (!file_exists($path)) {
            return;
        }
        if (filetype($path) === 'socket' && @stream_socket_client("unix://$path", $code, $message, 1) === false) {
            unlink($path);

            return;
        }
        throw new Failure("cannot listen on unix:$path: something is there already; stop the program that uses it"
            . ' or choose another path');
    }
}
