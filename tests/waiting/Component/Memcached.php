<?php

declare(strict_types=1);

namespace Howdah\WaitingTests\Component;

use Howdah\WaitingTests\Port;

/** memcached, which never waits, and a slow way to it. */
final class Memcached extends Proxied
{
    public function __construct()
    {
        // It refuses to run as root.
        parent::__construct('memcached', ['memcache', 'nobody']);
    }

    protected function launch(): void
    {
        $command = ['memcached', '-l', '127.0.0.1', '-p', (string) $this->port, '-U', '0', '-m', '16'];
        $this->daemon->start($command, fn (): bool => Port::answers($this->port));
    }
}
