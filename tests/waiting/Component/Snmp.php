<?php

declare(strict_types=1);

namespace Howdah\WaitingTests\Component;

use Howdah\HttpTests\Server;
use Howdah\WaitingTests\Component;
use Howdah\WaitingTests\Daemon;

/** Net-SNMP's agent; below the base that it tells a number that ends in N is answered after N milliseconds. */
final class Snmp implements Component
{
    private const BASE = '.1.3.6.1.4.1.8072.9999.9999';

    private readonly Daemon $daemon;
    private readonly int $port;

    public function __construct()
    {
        $this->daemon = new Daemon('snmpd');
        $this->port = Server::freePort();
    }

    public function start(): void
    {
        $folder = $this->daemon->folder;
        // What snmpd calls with `-g OID`; it answers with three lines.
        file_put_contents("$folder/slow", <<<'SH'
            #!/bin/sh
            milliseconds=${2##*.}
            sleep "$((milliseconds / 1000)).$(printf %03d $((milliseconds % 1000)))"
            printf '%s\nstring\nafter %s\n' "$2" "$milliseconds"
            SH . "\n");
        chmod("$folder/slow", 0755);
        file_put_contents("$folder/snmpd.conf", implode("\n", [
            "agentaddress udp:127.0.0.1:{$this->port}",
            'rocommunity public',
            'pass ' . self::BASE . " $folder/slow",
            '',
        ]));
        $environment = ['env', "SNMP_PERSISTENT_DIR=$folder", 'MIBS='];
        $modules = ['-I', '-smux,mteTrigger,mteTriggerConf'];
        $this->daemon->start(
            [...$environment, '/usr/sbin/snmpd', '-f', '-C', '-c', "$folder/snmpd.conf", '-Lo', ...$modules],
            fn (): bool => str_contains((string) file_get_contents('/proc/net/udp'), sprintf(':%04X ', $this->port)),
        );
    }

    public function settings(): array
    {
        return ['host' => "127.0.0.1:{$this->port}", 'base' => self::BASE];
    }

    public function stop(): void
    {
        $this->daemon->remove();
    }
}
