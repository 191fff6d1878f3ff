<?php

declare(strict_types=1);

namespace Howdah\HttpTests;

use CurlHandle;
use CurlMultiHandle;
use Howdah\Tests\Clock;
use PHPUnit\Framework\Assert;

/**
 * Asks a server, one request after another or many at once. An answer that begins and is not whole fails the test, and one
 * that does not come in time is late. Not where the test wants it so: it asked for less time than our patience, its own
 * callback broke the transfer off, or it says MAY_BREAK. The answer's $error tells then.
 */
final readonly class Client
{
    /** For a request's options: the server may break the answer off. */
    public const MAY_BREAK = -1;

    private const PATIENCE_MS = Clock::PATIENCE * 1000;

    /**
     * As many bytes as curl allows. With its 16 KB curl 7.88 (Debian 12) does not always hear that a stream of HTTP/2 has ended:
     * it waits for the end that came with the last frame.
     */
    private const HTTP2_BUFFER = 512 * 1024;

    /** What the client does by itself. */
    private const OURS = [CURLE_WRITE_ERROR, CURLE_ABORTED_BY_CALLBACK];

    public function __construct(private string $base)
    {
    }

    /** @param array<int, mixed> $options of curl_setopt(), and MAY_BREAK */
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
        $uris = [];
        $heads = [];
        $gates = [];
        $limits = [];
        $mayBreak = [];
        foreach ($requests as $number => $request) {
            [$uri, $options] = is_string($request) ? [$request, []] : $request;
            $gates[$number] = is_string($request) ? null : $request[2] ?? null;
            $uris[$number] = $uri;
            $heads[$number] = [];
            $limits[$number] = self::limit($options);
            $mayBreak[$number] = (bool) ($options[self::MAY_BREAK] ?? false);
            unset($options[self::MAY_BREAK]);
            $options += isset($options[CURLOPT_HTTP_VERSION]) ? [CURLOPT_BUFFERSIZE => self::HTTP2_BUFFER] : [];
            $handles[$number] = curl_init();
            curl_setopt_array($handles[$number], [CURLOPT_TIMEOUT_MS => $limits[$number]] + $options + [
                CURLOPT_URL => $this->base . $uri,
                CURLOPT_RETURNTRANSFER => true,
                CURLOPT_PATH_AS_IS => true,
                // Where a connection that was used before breaks, curl sends the request once more.
                CURLOPT_FRESH_CONNECT => true,
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
        $clock = Clock::start();
        do {
            foreach ($gates as $number => $gate) {
                if ($gate === null || $gate()) {
                    curl_multi_add_handle($multi, $handles[$number]);
                    unset($gates[$number]);
                }
            }
            curl_multi_exec($multi, $running);
            if ($meanwhile !== null) {
                $meanwhile($clock->seconds());
            }
            curl_multi_select($multi, 0.02);
            if ($running === 0 && $gates !== []) {
                $clock->assertWithin(Clock::PATIENCE, 'what ' . $uris[array_key_first($gates)] . ' waits for');
            }
        } while ($running > 0 || $gates !== []);

        $results = self::results($multi);
        $responses = [];
        foreach ($handles as $number => $handle) {
            $status = curl_getinfo($handle, CURLINFO_RESPONSE_CODE);
            $body = (string) curl_multi_getcontent($handle);
            $result = $results[spl_object_id($handle)] ?? CURLE_OK;
            $error = $result === CURLE_OK ? '' : (curl_error($handle) ?: (string) curl_strerror($result));
            curl_multi_remove_handle($multi, $handle);
            if ($result === CURLE_OPERATION_TIMEDOUT && $limits[$number] >= self::PATIENCE_MS) {
                Clock::late("$uris[$number]: $error");
            }
            $isOurs = $result === CURLE_OPERATION_TIMEDOUT || in_array($result, self::OURS, true);
            if ($error !== '' && $status !== 0 && !$isOurs && !$mayBreak[$number]) {
                Assert::fail("$uris[$number]: status $status, but not whole: $error (" . strlen($body) . ' bytes)');
            }
            $responses[] = new Response(
                $status,
                $heads[$number],
                $status === 0 ? $error : $body,
                curl_getinfo($handle, CURLINFO_TOTAL_TIME),
                curl_getinfo($handle, CURLINFO_STARTTRANSFER_TIME),
                $error,
            );
        }

        return $responses;
    }

    /**
     * Milliseconds that a request may take. It is taken out of the options: of two that say so, curl takes the last one.
     *
     * @param array<int, mixed> $options
     */
    private static function limit(array &$options): int
    {
        $seconds = $options[CURLOPT_TIMEOUT] ?? 0;
        $limit = $options[CURLOPT_TIMEOUT_MS] ?? (is_int($seconds) ? $seconds * 1000 : 0);
        unset($options[CURLOPT_TIMEOUT], $options[CURLOPT_TIMEOUT_MS]);

        return is_int($limit) && $limit > 0 ? $limit : (int) self::PATIENCE_MS;
    }

    /** @return array<int, int> by the handle's id: how it ended (CURLE_...) */
    private static function results(CurlMultiHandle $multi): array
    {
        $results = [];
        while (($message = curl_multi_info_read($multi)) !== false) {
            assert($message['handle'] instanceof CurlHandle && is_int($message['result']));
            $results[spl_object_id($message['handle'])] = $message['result'];
        }

        return $results;
    }
}
