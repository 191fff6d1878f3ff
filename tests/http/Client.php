<?php

declare(strict_types=1);

namespace Howdah\HttpTests;

use CurlHandle;

/** Asks a server, one request after another or many at once. */
final readonly class Client
{
    /** Seconds. */
    private const PATIENCE = 30;

    public function __construct(private string $base)
    {
    }

    /** @param array<int, mixed> $options of curl_setopt() */
    public function get(string $uri, array $options = []): Response
    {
        return $this->all([[$uri, $options]])[0];
    }

    /**
     * @param array<array-key, mixed>|string $body
     * @param array<int, mixed>              $options
     */
    public function post(string $uri, array|string $body, array $options = []): Response
    {
        return $this->get($uri, [CURLOPT_POST => true, CURLOPT_POSTFIELDS => $body] + $options);
    }

    /**
     * All at once.
     *
     * @param  list<array{0: string, 1: array<int, mixed>, 2?: callable(): bool}|string> $requests URI, options, and what it
     *                                                                                          waits for before it is sent
     * @param  (callable(float): void)|null                  $meanwhile called again and again with the seconds that have passed
     * @return list<Response>
     */
    public function all(array $requests, ?callable $meanwhile = null): array
    {
        $multi = curl_multi_init();
        $handles = [];
        $heads = [];
        $gates = [];
        foreach ($requests as $number => $request) {
            [$uri, $options] = is_string($request) ? [$request, []] : $request;
            $gates[$number] = is_string($request) ? null : $request[2] ?? null;
            $heads[$number] = [];
            $handles[$number] = curl_init();
            curl_setopt_array($handles[$number], $options + [
                CURLOPT_URL => $this->base . $uri,
                CURLOPT_RETURNTRANSFER => true,
                CURLOPT_TIMEOUT => self::PATIENCE,
                CURLOPT_PATH_AS_IS => true,
                CURLOPT_HTTPHEADER => ['Expect:'],
                CURLOPT_HEADERFUNCTION => static function (CurlHandle $curl, string $line) use (&$heads, $number): int {
                    $parts = explode(':', $line, 2);
                    if (count($parts) === 2) {
                        $heads[$number][strtolower($parts[0])][] = trim($parts[1]);
                    }

                    return strlen($line);
                },
            ]);
        }
        $start = microtime(true);
        do {
            foreach ($gates as $number => $gate) {
                if ($gate === null || $gate()) {
                    curl_multi_add_handle($multi, $handles[$number]);
                    unset($gates[$number]);
                }
            }
            curl_multi_exec($multi, $running);
            if ($meanwhile !== null) {
                $meanwhile(microtime(true) - $start);
            }
            curl_multi_select($multi, 0.02);
        } while ($running > 0 || ($gates !== [] && microtime(true) - $start < self::PATIENCE));

        $responses = [];
        foreach ($handles as $number => $handle) {
            $status = curl_getinfo($handle, CURLINFO_RESPONSE_CODE);
            $body = (string) curl_multi_getcontent($handle);
            $responses[] = new Response(
                $status,
                $heads[$number],
                $status === 0 ? curl_error($handle) : $body,
                curl_getinfo($handle, CURLINFO_TOTAL_TIME),
                curl_getinfo($handle, CURLINFO_STARTTRANSFER_TIME),
            );
            curl_multi_remove_handle($multi, $handle);
        }

        return $responses;
    }
}
