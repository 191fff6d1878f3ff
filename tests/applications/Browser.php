<?php

declare(strict_types=1);

namespace Howdah\ApplicationTests;

use CURLFile;
use CURLStringFile;
use CurlHandle;
use Fiber;
use Howdah\Tests\Clock;
use PHPUnit\Framework\Assert;

/** A user's browser: a connection, cookies, redirects. In a Fiber of a Crowd others go on while it waits. */
final class Browser
{
    /** Seconds for one answer: some compute for seconds, and 32 users may wait for them. */
    private const PATIENCE = 3 * Clock::PATIENCE;

    private readonly CurlHandle $curl;

    /** @var array<string, Page> what it has seen, by the names given */
    public array $seen = [];

    /** @param string $host the name that the server goes by; it is at 127.0.0.1:$port */
    public function __construct(public readonly string $host, int $port)
    {
        $this->curl = curl_init();
        curl_setopt_array($this->curl, [
            CURLOPT_CONNECT_TO => ["$host:80:127.0.0.1:$port"],
            CURLOPT_COOKIEFILE => '',
            CURLOPT_RETURNTRANSFER => true,
            CURLOPT_TIMEOUT => (int) self::PATIENCE,
            CURLOPT_PATH_AS_IS => true,
            CURLOPT_PROXY => '',
            CURLOPT_USERAGENT => 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0',
        ]);
    }

    /** Remembers a page under a name: the same step of another's walk is compared with it. */
    public function see(string $name, Page $page): Page
    {
        Assert::assertArrayNotHasKey($name, $this->seen);

        return $this->seen[$name] = $page;
    }

    /**
     * @param array<string, string> $query
     * @param list<string>          $headers
     */
    public function get(string $path, array $query = [], array $headers = []): Page
    {
        $mark = str_contains($path, '?') ? '&' : '?';

        return $this->go($path . ($query === [] ? '' : $mark . http_build_query($query)), [CURLOPT_HTTPGET => true], $headers);
    }

    /**
     * @param array<string, string|CURLFile|CURLStringFile>|string $fields multipart when there is a file among them
     * @param list<string>                          $headers
     */
    public function post(string $path, array|string $fields, array $headers = []): Page
    {
        $hasFile = is_array($fields) && array_filter($fields, is_object(...)) !== [];
        $body = is_array($fields) && !$hasFile ? http_build_query($fields) : $fields;

        return $this->go($path, [CURLOPT_POST => true, CURLOPT_POSTFIELDS => $body], $headers);
    }

    /**
     * Fills in a form of a page (an XPath expression) and sends it.
     *
     * @param array<string, string|CURLFile|CURLStringFile> $fields
     */
    public function submit(Page $page, string $form, array $fields): Page
    {
        $action = html_entity_decode($page->attribute($form, 'action'));
        $all = $fields + $page->fields($form);
        if (strtolower($page->attribute($form, 'method')) !== 'post') {
            return $this->get(self::join($page->url, $action), array_map(strval(...), array_filter($all, is_string(...))));
        }

        return $this->post(self::join($page->url, $action), $all);
    }

    /** Until the next second of the clock: for what is told apart, or sorted, by seconds. */
    public static function awaitSecond(): void
    {
        for ($now = time(); time() === $now;) {
            usleep(20_000);
        }
    }

    /**
     * @param array<int, mixed> $options
     * @param list<string>      $headers
     */
    private function go(string $path, array $options, array $headers): Page
    {
        $url = self::join("http://$this->host/", $path);
        $hops = [];
        while (true) {
            $page = $this->once($url, $options, $headers, $hops);
            $location = $page->headers['location'][0] ?? null;
            if ($location === null || !in_array($page->status, [301, 302, 303, 307], true)) {
                return $page;
            }
            $hops[] = [$page->status, $location];
            Assert::assertLessThan(10, count($hops), "$path leads in a circle: " . json_encode($hops));
            $url = self::join($url, $location);
            $options = $page->status === 307 ? $options : [CURLOPT_HTTPGET => true];
        }
    }

    /**
     * @param array<int, mixed>        $options
     * @param list<string>             $sent
     * @param list<array{int, string}> $hops
     */
    private function once(string $url, array $options, array $sent, array $hops): Page
    {
        $headers = [];
        curl_setopt_array($this->curl, $options + [
            CURLOPT_URL => $url,
            CURLOPT_HTTPHEADER => ['Expect:', ...$sent],
            CURLOPT_HEADERFUNCTION => static function (CurlHandle $curl, string $line) use (&$headers): int {
                $parts = explode(':', $line, 2);
                if (count($parts) === 2) {
                    $headers[strtolower($parts[0])][] = trim($parts[1]);
                }

                return strlen($line);
            },
        ]);
        $body = Fiber::getCurrent() === null ? curl_exec($this->curl) : Fiber::suspend($this->curl);
        if (!is_string($body) && curl_getinfo($this->curl, CURLINFO_TOTAL_TIME) >= self::PATIENCE) {
            Clock::late("$url: " . curl_error($this->curl));
        }
        Assert::assertIsString($body, "$url: " . curl_error($this->curl));

        return new Page($url, curl_getinfo($this->curl, CURLINFO_RESPONSE_CODE), $headers, $body, $hops);
    }

    private static function join(string $base, string $link): string
    {
        $link = explode('#', $link)[0];
        if (preg_match('~^https?://~', $link) === 1) {
            return $link;
        }
        preg_match('~^(https?://[^/]+)([^?]*)~', $base, $parts);
        [$origin, $path] = [$parts[1] ?? '', $parts[2] ?? '/'];

        return match ($link[0] ?? '') {
            '' => $base,
            '/' => $origin . $link,
            '?' => $origin . $path . $link,
            default => $origin . substr($path, 0, (int) strrpos($path, '/')) . "/$link",
        };
    }
}
