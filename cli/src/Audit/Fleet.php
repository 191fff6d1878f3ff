<?php

declare(strict_types=1);

namespace Howdah\Cli\Audit;

use Closure;
use CurlHandle;
use CurlMultiHandle;
use Howdah\Cli\Failure;
use Howdah\Cli\Watch;

/** Several clients that ask at once, each with cookies of its own. */
final class Fleet
{
    /** What is kept of an answer, to look for links in. */
    private const BODY_BYTES = 2 * 1024 ** 2;

    private const ANSWER_SECONDS = 60;

    private readonly CurlMultiHandle $multi;

    /** @var array<int, CurlHandle> by client */
    private array $handles = [];

    /** @var array<int, Request> under way, by client */
    private array $requests = [];

    /** @var array<int, string> what has come of the answer, by client */
    private array $bodies = [];

    /** @var array<int, array<string, string>> by client and lower-case name */
    private array $headers = [];

    /**
     * @param non-empty-string $origin  as the application is to see it: "http://shop.example"
     * @param string           $address where it is: "127.0.0.1:8080"
     */
    public function __construct(
        private readonly string $origin,
        private readonly string $address,
        private readonly int $clients,
    ) {
        self::need('curl', 'curl');
        $this->multi = curl_multi_init();
    }

    /**
     * Until the plan has no request left, or $seconds are over, or it is told to end.
     *
     * @param  Closure(): bool     $mustEnd
     * @param  Closure(Tally): void $progress called now and then
     * @return string what ended it: "done", "time" or "stopped"
     */
    public function run(Plan $plan, Tally $tally, int $seconds, Closure $mustEnd, Closure $progress): string
    {
        $deadline = hrtime(true) + $seconds * 1_000_000_000;
        while (true) {
            if ($mustEnd()) {
                return $this->abandon('stopped');
            }
            if (hrtime(true) >= $deadline) {
                return $this->abandon('time');
            }
            for ($client = 0; $client < $this->clients; $client++) {
                $request = isset($this->requests[$client]) ? null : $plan->next($client);
                if ($request !== null) {
                    $this->send($client, $request);
                }
            }
            if ($this->requests === []) {
                return 'done';
            }
            curl_multi_exec($this->multi, $running);
            curl_multi_select($this->multi, 0.1);
            curl_multi_exec($this->multi, $running);
            $this->takeAll($plan, $tally);
            $progress($tally);
        }
    }

    /** Of the PHP that runs the command; the server needs none. */
    public static function need(string $extension, string $package): void
    {
        if (!extension_loaded($extension)) {
            throw new Failure('the PHP that runs this command (' . PHP_BINARY . ") has no $extension extension: `apt-get"
                . ' install php' . PHP_MAJOR_VERSION . '.' . PHP_MINOR_VERSION . "-$package`");
        }
    }

    private function takeAll(Plan $plan, Tally $tally): void
    {
        while (($message = curl_multi_info_read($this->multi)) !== false) {
            ['handle' => $handle, 'result' => $result] = $message;
            if ($handle instanceof CurlHandle && is_int($result)) {
                $this->take($handle, $result, $plan, $tally);
            }
        }
    }

    private function send(int $client, Request $request): void
    {
        $handle = $this->handles[$client] ??= curl_init();
        // Forgets the request before, not the cookies.
        curl_reset($handle);
        curl_setopt_array($handle, [
            CURLOPT_URL => $this->origin . $request->path,
            CURLOPT_CONNECT_TO => ["::{$this->address}"],
            CURLOPT_CUSTOMREQUEST => $request->method ?: 'GET',
            CURLOPT_NOBODY => $request->method === 'HEAD',
            CURLOPT_HTTPHEADER => [...$request->headers, 'Expect:'],
            CURLOPT_COOKIEFILE => '',
            CURLOPT_PATH_AS_IS => true,
            // On a connection that was used before, curl repeats by itself what a worker that crashed did not answer.
            CURLOPT_FRESH_CONNECT => true,
            CURLOPT_FORBID_REUSE => true,
            CURLOPT_USERAGENT => 'howdah audit',
            CURLOPT_ENCODING => '',
            CURLOPT_PROXY => '',
            CURLOPT_TIMEOUT => self::ANSWER_SECONDS,
            CURLOPT_HEADERFUNCTION => $this->header(...),
            CURLOPT_WRITEFUNCTION => $this->body(...),
        ]);
        if ($request->body !== null || in_array($request->method, ['POST', 'PUT', 'PATCH'], true)) {
            curl_setopt($handle, CURLOPT_POSTFIELDS, $request->body ?? '');
        }
        $this->requests[$client] = $request;
        $this->bodies[$client] = '';
        $this->headers[$client] = [];
        curl_multi_add_handle($this->multi, $handle);
    }

    private function header(CurlHandle $handle, string $line): int
    {
        $parts = explode(':', $line, 2);
        if (count($parts) === 2) {
            $this->headers[$this->client($handle)][strtolower($parts[0])] = trim($parts[1]);
        }

        return strlen($line);
    }

    private function body(CurlHandle $handle, string $data): int
    {
        $client = $this->client($handle);
        if (strlen($this->bodies[$client]) < self::BODY_BYTES) {
            $this->bodies[$client] .= $data;
        }

        return strlen($data);
    }

    private function take(CurlHandle $handle, int $result, Plan $plan, Tally $tally): void
    {
        $client = $this->client($handle);
        $request = $this->requests[$client];
        $headers = $this->headers[$client];
        $realm = $headers[strtolower(Watch::REALM_HEADER)] ?? null;
        $answer = new Answer(
            $result === CURLE_OK ? curl_getinfo($handle, CURLINFO_RESPONSE_CODE) : 0,
            $realm === null ? null : $headers[strtolower(Watch::WORKER_HEADER)] . ":$realm",
            $headers['content-type'] ?? '',
            $headers['location'] ?? null,
            $this->bodies[$client],
            $result === CURLE_OK ? '' : (curl_error($handle) ?: (string) curl_strerror($result)),
        );
        curl_multi_remove_handle($this->multi, $handle);
        unset($this->requests[$client]);
        $tally->add($request, $answer);
        $plan->answered($client, $request, $answer);
    }

    private function client(CurlHandle $handle): int
    {
        return (int) array_search($handle, $this->handles, true);
    }

    private function abandon(string $why): string
    {
        foreach (array_keys($this->requests) as $client) {
            curl_multi_remove_handle($this->multi, $this->handles[$client]);
        }
        $this->requests = [];

        return $why;
    }
}
