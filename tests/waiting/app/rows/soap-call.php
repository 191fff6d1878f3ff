<?php

/** ext/soap: a call whose answer comes late. Limit: default_socket_timeout. */

declare(strict_types=1);

use Howdah\WaitingTests\App\Row;
use Howdah\WaitingTests\App\Settings;

return new class implements Row {
    public function wait(float $seconds): mixed
    {
        try {
            return $this->call($seconds);
        } catch (SoapFault $fault) {
            // What answers is no SOAP server.
            return [$fault->faultcode, $fault->getMessage()];
        }
    }

    public function limit(float $seconds): mixed
    {
        ini_set('default_socket_timeout', (string) $seconds);
        try {
            return $this->call(5);
        } finally {
            ini_restore('default_socket_timeout');
        }
    }

    private function call(float $seconds): mixed
    {
        $port = Settings::of('SlowPeer')['tcp'];
        $client = new SoapClient(null, ['location' => "http://127.0.0.1:$port/head?s=$seconds", 'uri' => 'urn:test']);

        return $client->__soapCall('ask', ['x']);
    }
};
