<?php

/** Symfony's HttpClient on PHP streams; its max_duration is the limit. */

declare(strict_types=1);

use Howdah\WaitingTests\App\Libraries;
use Howdah\WaitingTests\App\Peer;
use Howdah\WaitingTests\App\Row;
use Symfony\Component\HttpClient\NativeHttpClient;

return new class implements Row {
    public function wait(float $seconds): mixed
    {
        Libraries::load();

        return (new NativeHttpClient())->request('GET', Peer::url('body', $seconds))->getContent();
    }

    public function limit(float $seconds): mixed
    {
        Libraries::load();

        return (new NativeHttpClient())->request('GET', Peer::url('body', 5), ['max_duration' => $seconds])->getContent();
    }
};
