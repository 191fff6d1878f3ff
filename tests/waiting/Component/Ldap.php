<?php

declare(strict_types=1);

namespace Howdah\WaitingTests\Component;

use Howdah\HttpTests\Server;
use Howdah\WaitingTests\Component;
use Howdah\WaitingTests\Daemon;
use Howdah\WaitingTests\Port;
use Howdah\WaitingTests\SlowProxy;

/** OpenLDAP's slapd with one person in it, and a slow way to it: a filter that has `wait:SECONDS:` in it takes so long. */
final class Ldap implements Component
{
    private readonly Daemon $daemon;
    private readonly SlowProxy $slow;
    private readonly int $port;

    public function __construct()
    {
        $this->daemon = new Daemon('slapd');
        $this->port = Server::freePort();
        $this->slow = new SlowProxy("tcp://127.0.0.1:{$this->port}");
    }

    public function start(): void
    {
        $folder = $this->daemon->folder;
        mkdir("$folder/data");
        file_put_contents("$folder/slapd.conf", <<<CONF
            include /etc/ldap/schema/core.schema
            modulepath /usr/lib/ldap
            moduleload back_mdb
            pidfile $folder/pid
            database mdb
            maxsize 16777216
            suffix "dc=example,dc=org"
            rootdn "cn=admin,dc=example,dc=org"
            rootpw secret
            directory $folder/data
            CONF . "\n");
        file_put_contents("$folder/entries", <<<LDIF
            dn: dc=example,dc=org
            objectClass: dcObject
            objectClass: organization
            dc: example
            o: Example

            dn: cn=Ada,dc=example,dc=org
            objectClass: person
            cn: Ada
            sn: Lovelace
            userPassword: engine
            LDIF . "\n");
        $this->daemon->run(['/usr/sbin/slapadd', '-f', "$folder/slapd.conf", '-l', "$folder/entries"]);
        $this->daemon->start(
            ['/usr/sbin/slapd', '-f', "$folder/slapd.conf", '-h', "ldap://127.0.0.1:{$this->port}", '-d', '0'],
            fn (): bool => Port::answers($this->port),
        );
        $this->slow->start();
    }

    public function settings(): array
    {
        return ['host' => '127.0.0.1', 'port' => (string) $this->port, 'slow' => (string) $this->slow->port];
    }

    public function stop(): void
    {
        $this->slow->stop();
        $this->daemon->remove();
    }
}
