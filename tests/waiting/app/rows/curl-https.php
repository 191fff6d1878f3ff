<?php

/** HTTP/1.1 over TLS, through nginx; CURLOPT_TIMEOUT is the limit. */

declare(strict_types=1);

use Howdah\WaitingTests\App\Curl;
use Howdah\WaitingTests\App\Peer;
use Howdah\WaitingTests\App\Row;

return new class implements Row {
    public function wait(float $seconds): mixed
    {
        return Curl::ask(Peer::secureUrl('body', $seconds), $this->secure());
    }

    public function limit(float $seconds): mixed
    {
        return Curl::ask(Peer::secureUrl('head', 5), $this->secure() + [CURLOPT_TIMEOUT => (int) ceil($seconds)]);
    }

    /** @return array<int, mixed> */
    private function secure(): array
    {
        return [CURLOPT_CAINFO => Peer::setting('certificate'), CURLOPT_HTTP_VERSION => CURL_HTTP_VERSION_1_1];
    }
};
