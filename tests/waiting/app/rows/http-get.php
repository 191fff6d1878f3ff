<?php

/** file_get_contents() of http://; the context's timeout is the limit. */

declare(strict_types=1);

use Howdah\WaitingTests\App\Peer;
use Howdah\WaitingTests\App\Row;

return new class implements Row {
    public function wait(float $seconds): mixed
    {
        return [file_get_contents(Peer::url('head', $seconds)), $http_response_header];
    }

    public function limit(float $seconds): mixed
    {
        return file_get_contents(Peer::url('head', 5), context: stream_context_create(['http' => ['timeout' => $seconds]]));
    }
};
