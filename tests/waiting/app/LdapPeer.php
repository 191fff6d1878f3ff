<?php

declare(strict_types=1);

namespace Howdah\WaitingTests\App;

use LDAP\Connection;
use LDAP\Result;
use RuntimeException;

/** What rows need of Component\Ldap. */
final class LdapPeer
{
    /** @param string|null $port  instead of the one that may be slow */
    public static function connect(?string $port = null, bool $bind = true): Connection
    {
        ['host' => $host, 'slow' => $slow] = Settings::of('Ldap');
        $ldap = ldap_connect("ldap://$host:" . ($port ?? $slow)) ?: throw new RuntimeException('not an address');
        ldap_set_option($ldap, LDAP_OPT_PROTOCOL_VERSION, 3);
        if ($bind && !ldap_bind($ldap, 'cn=Ada,dc=example,dc=org', 'engine')) {
            throw new RuntimeException('who is Ada? ' . ldap_error($ldap));
        }

        return $ldap;
    }

    /** @return array<mixed>|false what is known of Ada, $seconds later */
    public static function find(Connection $ldap, float $seconds): array|false
    {
        $result = ldap_search($ldap, 'dc=example,dc=org', "(|(sn=Lovelace)(cn=wait:$seconds:))", ['sn', 'cn']);

        return $result instanceof Result ? ldap_get_entries($ldap, $result) : false;
    }
}
