<?php

/** ext/imap: a search that the server answers late. Limit: IMAP_READTIMEOUT, which takes whole seconds. */

declare(strict_types=1);

use Howdah\WaitingTests\App\Row;
use Howdah\WaitingTests\App\Settings;

return new class implements Row {
    public function wait(float $seconds): mixed
    {
        imap_timeout(IMAP_READTIMEOUT, 30);

        return $this->search($seconds);
    }

    public function limit(float $seconds): mixed
    {
        imap_timeout(IMAP_READTIMEOUT, (int) ceil($seconds));

        return $this->search(5);
    }

    /** @return array<mixed> */
    private function search(float $seconds): array
    {
        ['host' => $host, 'slow' => $port] = Settings::of('Imap');
        $imap = imap_open("{{$host}:$port/imap/notls}INBOX", 'ada', 'engine', OP_READONLY, 1);
        if ($imap === false) {
            return ['no connection', imap_errors()];
        }
        $told = [imap_search($imap, "SUBJECT \"wait:$seconds:\""), imap_errors(), imap_num_msg($imap)];
        foreach (imap_search($imap, 'FROM "ada"') ?: [] as $number) {
            $told[] = [imap_headerinfo($imap, $number)->subject ?? null, imap_body($imap, $number, FT_PEEK)];
        }
        imap_close($imap);

        return [...$told, imap_errors(), imap_alerts()];
    }
};
