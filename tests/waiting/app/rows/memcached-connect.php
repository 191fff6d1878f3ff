<?php

/** php-memcached: connect to a server that takes no connections. The wait is libmemcached's OPT_CONNECT_TIMEOUT. */

declare(strict_types=1);

use Howdah\WaitingTests\App\Row;
use Howdah\WaitingTests\App\Settings;

return new class implements Row {
    public function wait(float $seconds): mixed
    {
        return $this->limit($seconds);
    }

    public function limit(float $seconds): mixed
    {
        ['host' => $host, 'port' => $port] = Settings::of('Full');
        $memcached = new Memcached();
        $memcached->setOption(Memcached::OPT_NO_BLOCK, true);
        $memcached->setOption(Memcached::OPT_CONNECT_TIMEOUT, (int) ($seconds * 1000));
        $memcached->addServer($host, (int) $port);

        return [$memcached->get('key'), $memcached->getResultCode(), $memcached->getResultMessage()];
    }
};
