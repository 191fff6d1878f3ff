<?php

/** curl_multi_select() waits for three transfers at once; its own argument is the limit. */

declare(strict_types=1);

use Howdah\WaitingTests\App\Peer;
use Howdah\WaitingTests\App\Row;

return new class implements Row {
    public function wait(float $seconds): mixed
    {
        [$multi, $handles] = $this->begin($seconds);
        do {
            curl_multi_exec($multi, $running);
        } while ($running > 0 && curl_multi_select($multi) >= 0);

        return array_map(curl_multi_getcontent(...), $handles);
    }

    public function limit(float $seconds): mixed
    {
        [$multi] = $this->begin(5);
        // Until the connections are made and the requests sent; what is then to come is the answer.
        $until = hrtime(true) + $seconds * 1e9;
        do {
            curl_multi_exec($multi, $running);
            $ready = curl_multi_select($multi, max(0, ($until - hrtime(true)) / 1e9));
        } while ($ready > 0 || hrtime(true) < $until);

        return [$ready, $running];
    }

    /** @return array{CurlMultiHandle, list<CurlHandle>} */
    private function begin(float $seconds): array
    {
        $multi = curl_multi_init();
        $handles = [];
        foreach (['head', 'body', 'head'] as $path) {
            $handle = curl_init(Peer::url($path, $seconds));
            curl_setopt($handle, CURLOPT_RETURNTRANSFER, true);
            curl_multi_add_handle($multi, $handle);
            $handles[] = $handle;
        }

        return [$multi, $handles];
    }
};
