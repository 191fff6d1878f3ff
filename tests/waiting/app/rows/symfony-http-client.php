<?php

/** Symfony's HttpClient on curl: three responses streamed at once over HTTP/2; its timeout is the limit. */

declare(strict_types=1);

use Howdah\WaitingTests\App\Libraries;
use Howdah\WaitingTests\App\Peer;
use Howdah\WaitingTests\App\Row;
use Symfony\Component\HttpClient\CurlHttpClient;

return new class implements Row {
    public function wait(float $seconds): mixed
    {
        $client = $this->client();
        $ask = static fn (string $path) => $client->request('GET', Peer::secureUrl($path, $seconds));
        // Their heads come at once: responses wait for them in their destructors, also when the client has gone.
        $responses = array_map($ask, ['body', 'body', 'body']);
        $bodies = [];
        foreach ($client->stream($responses) as $response => $chunk) {
            $number = array_search($response, $responses, true);
            $bodies[$number] = ($bodies[$number] ?? '') . $chunk->getContent();
        }
        ksort($bodies);

        return $bodies;
    }

    public function limit(float $seconds): mixed
    {
        return $this->client()->request('GET', Peer::secureUrl('head', 5), ['timeout' => $seconds])->getContent();
    }

    private function client(): CurlHttpClient
    {
        Libraries::load();

        return new CurlHttpClient(['cafile' => Peer::setting('certificate')]);
    }
};
