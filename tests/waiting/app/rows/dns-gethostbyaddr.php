<?php

/** gethostbyaddr(); the resolver's limit, which no script sets, is 1 s here (Component\SlowDns). */

declare(strict_types=1);

use Howdah\WaitingTests\App\Names;
use Howdah\WaitingTests\App\Row;

return new class implements Row {
    public function wait(float $seconds): mixed
    {
        $ms = (int) ($seconds * 1000);

        return gethostbyaddr('10.2.' . ($ms >> 8) . '.' . ($ms & 255));
    }

    public function limit(float $seconds): mixed
    {
        return gethostbyaddr('10.2.255.255');
    }
};
