<?php

/**
 * Keeps all clients busy until the requests are used up.
 */

declare(strict_types=1);

namespace Howdah\Tests\Isolation;

use CurlHandle;
use Random\Engine\Mt19937;
use Random\Randomizer;

final class Crowd
{
    /** A server that is not there fails every request at once: no use in going on. */
    private const FAILURES_AT_MOST = 200;

    /**
     * @param non-empty-list<string> $kinds
     */
    public function __construct(
        private readonly string $url,
        private readonly int $requests,
        private readonly int $clients,
        private readonly int $msFrom,
        private readonly int $msTo,
        private readonly int $seed,
        private readonly array $kinds,
        private readonly string $waits,
        private readonly int $sessionPercent,
        private readonly int $timeout,
    ) {
    }

    public function run(): Tally
    {
        // Not mt_rand: the checks that hammer.php loads for their marks may seed it, and a seed must give the same requests.
        $random = new Randomizer(new Mt19937($this->seed));
        $multi = curl_multi_init();
        curl_multi_setopt($multi, CURLMOPT_MAXCONNECTS, $this->clients * 2);
        $tally = new Tally();
        $sent = 0;
        $clients = [];
        $send = function (Client $client) use ($random, $multi, &$sent): void {
            curl_multi_add_handle($multi, $client->prepare(
                id: sprintf('s%dn%06d', $this->seed, $sent++),
                kind: $this->kinds[$random->getInt(0, count($this->kinds) - 1)],
                ms: $random->getInt($this->msFrom, $this->msTo),
                session: $random->getInt(1, 100) <= $this->sessionPercent,
            ));
        };
        for ($i = 0; $i < min($this->clients, $this->requests); ++$i) {
            $client = new Client($this->url, $this->waits, $this->timeout);
            $clients[spl_object_id($client->handle)] = $client;
            $send($client);
        }
        $running = 0;
        do {
            curl_multi_exec($multi, $running);
            while (($done = curl_multi_info_read($multi)) !== false) {
                /** @var array{result: int, handle: CurlHandle} $done */
                $handle = $done['handle'];
                $client = $clients[spl_object_id($handle)];
                $tally->add($client->check($done['result']));
                curl_multi_remove_handle($multi, $handle);
                if ($sent < $this->requests && $tally->failures() < self::FAILURES_AT_MOST) {
                    $send($client);
                    $running = 1;
                }
            }
            if ($running > 0) {
                curl_multi_select($multi, 0.1);
            }
        } while ($running > 0);
        curl_multi_close($multi);
        $tally->finish();

        return $tally;
    }
}
