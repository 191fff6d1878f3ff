<?php

/** Guzzle's Pool with three requests at once, on curl's multi interface; its timeout is the limit. */

declare(strict_types=1);

use GuzzleHttp\Client;
use GuzzleHttp\Pool;
use GuzzleHttp\Psr7\Request;
use Howdah\WaitingTests\App\Libraries;
use Howdah\WaitingTests\App\Peer;
use Howdah\WaitingTests\App\Row;

return new class implements Row {
    public function wait(float $seconds): mixed
    {
        return $this->pool($seconds, []);
    }

    public function limit(float $seconds): mixed
    {
        return $this->pool(5, ['timeout' => $seconds]);
    }

    /**
     * @param  array<string, mixed> $options of each request
     * @return array<int, string>
     */
    private function pool(float $seconds, array $options): array
    {
        Libraries::load();
        $request = static fn (string $path) => new Request('GET', Peer::url($path, $seconds));
        $requests = array_map($request, ['head', 'body', 'head', 'body']);
        $told = [];
        $pool = new Pool(new Client(), $requests, [
            'concurrency' => 3,
            'options' => $options,
            'fulfilled' => static function ($response, int $number) use (&$told): void {
                $told[$number] = $response->getStatusCode() . ' ' . $response->getBody();
            },
            'rejected' => static function (Throwable $reason, int $number) use (&$told): void {
                $told[$number] = $reason::class . preg_replace('/\d+ milliseconds/', 'N milliseconds', $reason->getMessage());
            },
        ]);
        $pool->promise()->wait();
        ksort($told);

        return $told;
    }
};
