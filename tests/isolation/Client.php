<?php

/**
 * One visitor: a connection, a cookie jar, and how many requests with a session it has made.
 */

declare(strict_types=1);

namespace Howdah\Tests\Isolation;

use CURLStringFile;
use CurlHandle;

/**
 * @phpstan-type Outcome array{id: string, error: ?string, wrong: list<string>, worker: int, realm: int, start: int, end: int}
 */
final class Client
{
    public const KINDS = ['get', 'form', 'raw', 'upload'];

    public readonly CurlHandle $handle;

    private string $id = '';
    private bool $session = false;
    private int $sessions = 0;

    /** @var array<string, list<string>> */
    private array $headers = [];

    public function __construct(private readonly string $url, private readonly string $waits, private readonly int $timeout)
    {
        $this->handle = curl_init();
        curl_setopt_array($this->handle, [
            CURLOPT_RETURNTRANSFER => true,
            CURLOPT_COOKIEFILE => '',
            CURLOPT_TIMEOUT => $timeout,
            CURLOPT_HEADERFUNCTION => function (CurlHandle $handle, string $line): int {
                if (str_contains($line, ':')) {
                    [$name, $value] = explode(':', $line, 2);
                    $this->headers[strtolower($name)][] = trim($value);
                }

                return strlen($line);
            },
        ]);
    }

    public function prepare(string $id, string $kind, int $ms, bool $session): CurlHandle
    {
        $this->id = $id;
        $this->session = $session;
        $this->headers = [];
        $query = ['id' => $id, 'kind' => $kind, 'ms' => $ms, 'waits' => $this->waits] + ($session ? ['session' => 1] : []);
        $content = str_repeat($this->mark('content'), 100);
        // Expect: would make curl ask before it sends a large body.
        $headers = ["X-Probe: {$this->mark('header')}", 'Expect:', 'Accept: application/json'];
        curl_setopt_array($this->handle, [
            CURLOPT_URL => $this->url . (str_contains($this->url, '?') ? '&' : '?') . http_build_query($query),
            CURLOPT_COOKIE => "probe_in={$this->mark('cookie')}",
            CURLOPT_HTTPGET => true,
        ] + match ($kind) {
            'form' => [CURLOPT_POSTFIELDS => http_build_query(['field' => $this->mark('field')])],
            'raw' => [CURLOPT_POSTFIELDS => $content],
            'upload' => [CURLOPT_POSTFIELDS => [
                'field' => $this->mark('field'),
                'file' => new CURLStringFile($content, $this->mark('name'), 'text/plain'),
            ]],
            default => [],
        });
        if ($kind === 'raw') {
            $headers[] = 'Content-Type: text/plain';
        }
        curl_setopt($this->handle, CURLOPT_HTTPHEADER, $headers);

        return $this->handle;
    }

    /**
     * @return Outcome
     */
    public function check(int $result): array
    {
        $outcome = ['id' => $this->id, 'error' => null, 'wrong' => [], 'worker' => 0, 'realm' => 0, 'start' => 0, 'end' => 0];
        $body = (string) curl_multi_getcontent($this->handle);
        $status = (int) curl_getinfo($this->handle, CURLINFO_RESPONSE_CODE);
        $answer = Answer::parse($body);
        if ($result !== CURLE_OK || $answer === null) {
            // Whether the server counted this request is not known: start again as a new visitor.
            curl_setopt($this->handle, CURLOPT_COOKIELIST, 'ALL');
            $this->sessions = 0;
            $reason = $result !== CURLE_OK ? (string) curl_strerror($result) : "status {$status}";
            $text = trim((string) preg_replace('/\s+/', ' ', strip_tags(substr($body, 0, 5000))));

            return ['error' => "{$reason}: " . substr($text, 0, 300)] + $outcome;
        }
        foreach ($this->expectations($answer, $status, $body) as $what => [$expected, $actual]) {
            if ($expected !== $actual) {
                $outcome['wrong'][] = "answer, {$what}: expected " . json_encode($expected) . ', got ' . json_encode($actual);
            }
        }

        return [
            'wrong' => [...$answer->wrong, ...$outcome['wrong']],
            'worker' => $answer->worker,
            'realm' => $answer->realm,
            'start' => $answer->start,
            'end' => $answer->end,
        ] + $outcome;
    }

    /**
     * @return array<string, array{mixed, mixed}>
     */
    private function expectations(Answer $answer, int $status, string $body): array
    {
        $cookies = array_map(
            static fn (string $cookie): string => explode(';', $cookie)[0],
            $this->headers['set-cookie'] ?? [],
        );
        sort($cookies);
        $pairs = [
            'id' => [$this->id, $answer->id],
            'ok' => [$answer->wrong === [], $answer->ok],
            'status' => [Probe::statusOf($this->id), $status],
            'X-Probe-Id' => [[$this->id], $this->headers['x-probe-id'] ?? null],
            'X-Probe-Native' => [[$this->mark('native')], $this->headers['x-probe-native'] ?? null],
            'X-Probe-Callback' => [[$this->mark('callback')], $this->headers['x-probe-callback'] ?? null],
            'cookies' => [
                $this->expectedCookies($answer->cookies),
                array_values(preg_grep('/^probe/', $cookies) ?: []),
            ],
        ];
        if ($answer->trailer) {
            $pairs['output of the shutdown function'] = [$this->mark('shutdown'), explode("\n", $body)[1] ?? null];
        }
        if ($this->session) {
            $pairs['session counter'] = [++$this->sessions, $answer->session];
        }

        return $pairs;
    }

    /**
     * @param list<string> $more which cookies the application sets besides the one that every probe sets
     * @return list<string>
     */
    private function expectedCookies(array $more): array
    {
        $expected = array_map(fn (string $name): string => "{$name}={$this->mark($name)}", ['probe', ...$more]);
        sort($expected);

        return $expected;
    }

    private function mark(string $what): string
    {
        return Probe::markOf($this->id, $what);
    }
}
