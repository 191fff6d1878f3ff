<?php

/** ext/ldap: the server takes the connection late. Limit: LDAP_OPT_NETWORK_TIMEOUT. */

declare(strict_types=1);

use Howdah\WaitingTests\App\Late;
use Howdah\WaitingTests\App\LdapPeer;
use Howdah\WaitingTests\App\Row;
use Howdah\WaitingTests\App\Settings;

return new class implements Row {
    public function wait(float $seconds): mixed
    {
        ['host' => $host, 'port' => $port] = Settings::of('Ldap');

        return LdapPeer::find(LdapPeer::connect(Late::port($seconds, $host, $port)), 0);
    }

    public function limit(float $seconds): mixed
    {
        $ldap = LdapPeer::connect(Late::fullPort(), false);
        ldap_set_option($ldap, LDAP_OPT_NETWORK_TIMEOUT, (int) ceil($seconds));

        return [ldap_bind($ldap), ldap_errno($ldap), ldap_error($ldap)];
    }
};
