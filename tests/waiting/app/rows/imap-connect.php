<?php

/** ext/imap: the server greets late. Limit: IMAP_OPENTIMEOUT, which takes whole seconds. */

declare(strict_types=1);

use Howdah\WaitingTests\App\Late;
use Howdah\WaitingTests\App\Row;
use Howdah\WaitingTests\App\Settings;

return new class implements Row {
    public function wait(float $seconds): mixed
    {
        ['host' => $host, 'port' => $port] = Settings::of('Imap');

        return $this->count(Late::port($seconds, $host, $port), 30);
    }

    public function limit(float $seconds): mixed
    {
        return $this->count(Late::fullPort(), (int) ceil($seconds));
    }

    /** @return array<mixed> */
    private function count(string $port, int $limit): array
    {
        imap_timeout(IMAP_OPENTIMEOUT, $limit);
        $imap = imap_open("{127.0.0.1:$port/imap/notls}INBOX", 'ada', 'engine', OP_READONLY, 1);

        return [$imap === false ? null : imap_num_msg($imap), imap_errors()];
    }
};
