<?php

declare(strict_types=1);

namespace Howdah\WaitingTests\Component;

use Howdah\WaitingTests\Component;
use Howdah\WaitingTests\Daemon;
use Howdah\WaitingTests\Resolver;
use PHPUnit\Framework\Assert;
use RuntimeException;

/** A name server that takes its time, asked by the server, by php-cli and by PHPUnit: peers/dns.php. */
final class SlowDns implements Component
{
    /** What resolv.conf tells the resolver, in seconds, as no script can: the longest that it takes. */
    private const LIMIT = 30;

    /** The most that the resolver takes (RES_MAXRETRY, resolv.h), each of which lasts so many seconds: a datagram may get lost. */
    private const ATTEMPTS = 5;
    private const ATTEMPT = 15;

    private string $address = '';

    private readonly Daemon $daemon;

    public function __construct()
    {
        $this->daemon = new Daemon('dns');
    }

    public function start(): void
    {
        // Port 53 of an address of our own.
        $address = $this->address = '127.' . random_int(2, 254) . '.' . random_int(0, 255) . '.' . random_int(2, 254);
        if (posix_geteuid() !== 0) {
            Assert::markTestSkipped('DNS on port 53 and a resolv.conf of its own need root: run the tests as root');
        }
        if (!Resolver::ask($address, self::LIMIT)) {
            Assert::markTestSkipped('unshare(CLONE_NEWNS) or mount failed: is this a container without CAP_SYS_ADMIN?');
        }
        $this->daemon->start(
            [PHP_BINARY, dirname(__DIR__) . '/peers/dns.php', $address],
            fn (): bool => str_contains($this->daemon->log(), 'ready'),
        );
        $found = gethostbyname('slow0.howdah.test');
        if ($found !== '127.0.0.1') {
            throw new RuntimeException("the resolver does not ask $address: see `hosts` in /etc/nsswitch.conf");
        }
    }

    public function settings(): array
    {
        return [];
    }

    /** The resolver's limit from now on; null: as long as it can be. */
    public function limit(?int $seconds): void
    {
        Resolver::ask($this->address, $seconds ?? self::LIMIT);
    }

    /** The resolver asks again and again, for longer than any machine stands still. */
    public function beAwaited(): void
    {
        Resolver::ask($this->address, self::ATTEMPT, self::ATTEMPTS);
    }

    /** From now on it is not slow: threads that resolve for nobody any more keep a worker from its end. */
    public function hurry(): void
    {
        posix_kill($this->daemon->pid(), SIGUSR1);
    }

    public function stop(): void
    {
        $this->daemon->remove();
    }
}
