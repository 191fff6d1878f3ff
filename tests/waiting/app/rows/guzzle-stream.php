<?php

/** Guzzle's stream option reads the body while it comes; its read_timeout is the limit. */

declare(strict_types=1);

use GuzzleHttp\Client;
use Howdah\WaitingTests\App\Libraries;
use Howdah\WaitingTests\App\Peer;
use Howdah\WaitingTests\App\Row;

return new class implements Row {
    public function wait(float $seconds): mixed
    {
        return $this->read($seconds, 10);
    }

    public function limit(float $seconds): mixed
    {
        return $this->read(5, $seconds);
    }

    /** @return list<mixed> */
    private function read(float $seconds, float $limit): array
    {
        Libraries::load();
        $options = ['stream' => true, 'read_timeout' => $limit];
        $body = (new Client())->get(Peer::url('body', $seconds), $options)->getBody();
        $parts = '';
        while (!$body->eof() && !$body->getMetadata('timed_out')) {
            $parts .= $body->read(8192);
        }

        return [$parts, $body->getMetadata('timed_out')];
    }
};
