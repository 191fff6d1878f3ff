<?php

/** ext/imap through TLS, whose greeting is late. libc-client has no time limit for the handshake. */

declare(strict_types=1);

use Howdah\WaitingTests\App\Late;
use Howdah\WaitingTests\App\Settings;
use Howdah\WaitingTests\App\WithoutLimit;

return new class extends WithoutLimit {
    public function wait(float $seconds): mixed
    {
        ['host' => $host, 'tls' => $port] = Settings::of('Imap');
        // Reading the system's list of authorities takes the processor for 40 ms.
        putenv('SSL_CERT_FILE=/dev/null');
        $late = Late::port($seconds, $host, $port);
        $imap = imap_open("{{$host}:$late/imap/ssl/novalidate-cert}INBOX", 'ada', 'engine', OP_READONLY, 1);

        return [$imap === false ? null : imap_num_msg($imap), imap_errors()];
    }
};
