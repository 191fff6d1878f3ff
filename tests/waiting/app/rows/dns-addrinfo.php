<?php

/** socket_addrinfo_lookup(); the resolver's limit, which no script sets, is 1 s here (Component\SlowDns). */

declare(strict_types=1);

use Howdah\WaitingTests\App\Names;
use Howdah\WaitingTests\App\Row;

return new class implements Row {
    public function wait(float $seconds): mixed
    {
        $found = socket_addrinfo_lookup(Names::slow($seconds), '80', ['ai_socktype' => SOCK_STREAM]);

        return array_map(socket_addrinfo_explain(...), $found);
    }

    public function limit(float $seconds): mixed
    {
        return socket_addrinfo_lookup(Names::NEVER, '80');
    }
};
