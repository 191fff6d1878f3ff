<?php

/** dns_get_record(); the resolver's limit, which no script sets, is 1 s here (Component\SlowDns). */

declare(strict_types=1);

use Howdah\WaitingTests\App\Names;
use Howdah\WaitingTests\App\Row;

return new class implements Row {
    public function wait(float $seconds): mixed
    {
        return dns_get_record(Names::slow($seconds), DNS_MX);
    }

    public function limit(float $seconds): mixed
    {
        return dns_get_record(Names::NEVER, DNS_A);
    }
};
