<?php

/**
 * A thread of libcurl's own resolves a name; CURLOPT_TIMEOUT_MS is the limit. Unending: freeing the handle joins the thread,
 * which the resolver's own limit ends (CURLOPT_QUICK_EXIT is not in PHP 8.2).
 */

declare(strict_types=1);

use Howdah\WaitingTests\App\Curl;
use Howdah\WaitingTests\App\Peer;
use Howdah\WaitingTests\App\Unending;

return new class implements Unending {
    public function wait(float $seconds): mixed
    {
        $ms = (int) ($seconds * 1000);

        return Curl::ask("http://slow$ms.howdah.test.:" . Peer::setting('tcp') . '/head?s=0');
    }

    public function limit(float $seconds): mixed
    {
        return Curl::ask('http://never.howdah.test./', [CURLOPT_TIMEOUT_MS => (int) ($seconds * 1000)]);
    }
};
