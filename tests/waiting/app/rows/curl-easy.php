<?php

/** curl_exec() waits for the head; CURLOPT_TIMEOUT_MS is the limit. */

declare(strict_types=1);

use Howdah\WaitingTests\App\Curl;
use Howdah\WaitingTests\App\Peer;
use Howdah\WaitingTests\App\Row;

return new class implements Row {
    public function wait(float $seconds): mixed
    {
        return Curl::ask(Peer::url('head', $seconds));
    }

    public function limit(float $seconds): mixed
    {
        return Curl::ask(Peer::url('head', 5), [CURLOPT_TIMEOUT_MS => (int) ($seconds * 1000)]);
    }
};
