<?php

/** curl connects to who takes no connections; CURLOPT_CONNECTTIMEOUT_MS is the limit. */

declare(strict_types=1);

use Howdah\WaitingTests\App\Curl;
use Howdah\WaitingTests\App\Peer;
use Howdah\WaitingTests\App\Row;

return new class implements Row {
    public function wait(float $seconds): mixed
    {
        return Curl::ask('http://127.0.0.1:' . Peer::jam($seconds) . '/head?s=0');
    }

    public function limit(float $seconds): mixed
    {
        $port = Peer::jam(5);
        $answer = Curl::ask("http://127.0.0.1:$port", [CURLOPT_CONNECTTIMEOUT_MS => (int) ($seconds * 1000)]);
        $answer['message'] = str_replace("port $port", 'port N', $answer['message']);

        return $answer;
    }
};
