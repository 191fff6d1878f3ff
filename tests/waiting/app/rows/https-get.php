<?php

/** file_get_contents() of https://; the context's timeout is the limit. */

declare(strict_types=1);

use Howdah\WaitingTests\App\Peer;
use Howdah\WaitingTests\App\Row;

return new class implements Row {
    public function wait(float $seconds): mixed
    {
        return file_get_contents(Peer::secureUrl('body', $seconds), context: stream_context_create(Peer::trust()));
    }

    public function limit(float $seconds): mixed
    {
        $context = stream_context_create(Peer::trust() + ['http' => ['timeout' => $seconds]]);

        return file_get_contents(Peer::secureUrl('head', 5), context: $context);
    }
};
