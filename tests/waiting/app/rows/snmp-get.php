<?php

/** ext/snmp: a value that comes late. Limit: the call's own time limit, in microseconds, without a second try. */

declare(strict_types=1);

use Howdah\WaitingTests\App\Row;
use Howdah\WaitingTests\App\Settings;

return new class implements Row {
    public function wait(float $seconds): mixed
    {
        ['host' => $host, 'base' => $base] = Settings::of('Snmp');
        $snmp = new SNMP(SNMP::VERSION_2c, $host, 'public', 30_000_000, 0);

        return [$snmp->get("$base." . (int) ($seconds * 1000)), $snmp->getErrno(), $snmp->get("$base.1")];
    }

    public function limit(float $seconds): mixed
    {
        ['base' => $base] = Settings::of('Snmp');
        $snmp = new SNMP(SNMP::VERSION_2c, '127.0.0.1:9', 'public', (int) ($seconds * 1_000_000), 0);
        $value = @$snmp->get("$base.5000");

        return [$value, $snmp->getErrno()];
    }
};
