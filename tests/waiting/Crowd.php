<?php

declare(strict_types=1);

namespace Howdah\WaitingTests;

use CurlHandle;
use CurlMultiHandle;
use Howdah\HttpTests\Server;
use Howdah\Tests\Clock;

/** Many requests at once, each of which waits on a peer (app/Crowd.php); every answer is looked at. */
final class Crowd
{
    public const PEERS = ['postgres', 'redis', 'http'];

    /** @var list<string> what was wrong; after many there is no use in going on */
    public array $wrong = [];

    /** @var non-empty-list<string> those that wait on other peers are left out */
    public array $peers = self::PEERS;

    /** The next request's number. */
    private int $number = 0;

    private int $last = 0;

    /** @var array<int, int> its number, by the handle's id */
    private array $asked = [];

    public function __construct(private readonly Server $server, private readonly int $clients)
    {
    }

    /**
     * @param int                     $requests  how many in all
     * @param callable(): float       $seconds   how long the next one waits; negative: for the gate
     * @param (callable(): void)|null $meanwhile called again and again
     */
    public function run(int $requests, callable $seconds, ?callable $meanwhile = null): void
    {
        $multi = curl_multi_init();
        curl_multi_setopt($multi, CURLMOPT_MAXCONNECTS, $this->clients);
        $this->last = $this->number + $requests;
        for ($client = 0; $client < $this->clients && $this->number < $this->last; $client++) {
            $handle = curl_init();
            curl_setopt_array($handle, [CURLOPT_RETURNTRANSFER => true, CURLOPT_TIMEOUT => 300]);
            $this->send($multi, $handle, $seconds());
        }
        do {
            curl_multi_exec($multi, $running);
            while (($done = curl_multi_info_read($multi)) !== false) {
                assert($done['handle'] instanceof CurlHandle);
                $this->check($done['handle']);
                curl_multi_remove_handle($multi, $done['handle']);
                if ($this->number < $this->last && count($this->wrong) < 10) {
                    $this->send($multi, $done['handle'], $seconds());
                    $running = 1;
                }
            }
            if ($meanwhile !== null) {
                $meanwhile();
            }
            if ($running > 0) {
                curl_multi_select($multi, 0.1);
            }
        } while ($running > 0);
        curl_multi_close($multi);
    }

    private function send(CurlMultiHandle $multi, CurlHandle $handle, float $seconds): void
    {
        $number = $this->number++;
        $peer = $this->peers[$number % count($this->peers)];
        $uri = "/?do=crowd&peer=$peer&number=$number&seconds=$seconds";
        curl_setopt($handle, CURLOPT_URL, "http://127.0.0.1:{$this->server->port}$uri");
        $this->asked[spl_object_id($handle)] = $number;
        curl_multi_add_handle($multi, $handle);
    }

    private function check(CurlHandle $handle): void
    {
        $number = $this->asked[spl_object_id($handle)];
        $body = (string) curl_multi_getcontent($handle);
        if (str_contains(curl_error($handle), 'timed out')) {
            Clock::late("$number: " . curl_error($handle));
        }
        if ($body !== "\"$number\"") {
            $status = curl_getinfo($handle, CURLINFO_RESPONSE_CODE);
            $this->wrong[] = "$number: status $status, " . curl_error($handle) . ': ' . substr($body, 0, 300);
        }
    }
}
