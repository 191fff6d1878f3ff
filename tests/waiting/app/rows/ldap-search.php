<?php

/** ext/ldap: a search that the server answers late. Limit: LDAP_OPT_TIMEOUT, which takes whole seconds. */

declare(strict_types=1);

use Howdah\WaitingTests\App\LdapPeer;
use Howdah\WaitingTests\App\Row;

return new class implements Row {
    public function wait(float $seconds): mixed
    {
        return LdapPeer::find(LdapPeer::connect(), $seconds);
    }

    public function limit(float $seconds): mixed
    {
        $ldap = LdapPeer::connect();
        ldap_set_option($ldap, LDAP_OPT_TIMEOUT, (int) ceil($seconds));

        return [LdapPeer::find($ldap, 5), ldap_errno($ldap), ldap_error($ldap)];
    }
};
