<?php

declare(strict_types=1);

namespace Howdah\WaitingTests\Component;

use Howdah\WaitingTests\Port;

/** OpenLDAP's slapd with one person in it, and a slow way to it: a filter that has `wait:SECONDS:` in it takes so long. */
final class Ldap extends Proxied
{
    public function __construct()
    {
        parent::__construct('slapd');
    }

    protected function launch(): void
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
    }
}
