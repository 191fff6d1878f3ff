<?php

/** curl_exec() waits for half of a body, and calls PHP meanwhile; CURLOPT_LOW_SPEED_TIME is the limit. */

declare(strict_types=1);

use Howdah\WaitingTests\App\Curl;
use Howdah\WaitingTests\App\Peer;
use Howdah\WaitingTests\App\Row;

return new class implements Row {
    public function wait(float $seconds): mixed
    {
        $written = '';
        $progress = 0;
        $answer = Curl::ask(Peer::url('body', $seconds), [
            CURLOPT_WRITEFUNCTION => static function (CurlHandle $curl, string $part) use (&$written): int {
                $written .= "[$part]";

                return strlen($part);
            },
            CURLOPT_NOPROGRESS => false,
            CURLOPT_XFERINFOFUNCTION => static function () use (&$progress): int {
                $progress++;

                return 0;
            },
        ]);

        return [$answer, $written, $progress > 0];
    }

    public function limit(float $seconds): mixed
    {
        $options = [CURLOPT_LOW_SPEED_LIMIT => 1000, CURLOPT_LOW_SPEED_TIME => (int) ceil($seconds)];

        return Curl::ask(Peer::url('body', 5), $options);
    }
};
