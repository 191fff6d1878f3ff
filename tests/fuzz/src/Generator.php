<?php

declare(strict_types=1);

namespace Howdah\Fuzz;

use Random\Randomizer;

/** Makes requests up: right in most, and odd in some places. Each carries a mark of its own, wherever there is room for one. */
final class Generator
{
    private const METHODS = [
        'GET', 'GET', 'GET', 'GET', 'POST', 'POST', 'POST', 'POST', 'POST', 'POST', 'PUT', 'HEAD', 'DELETE', 'OPTIONS',
        'PATCH', 'TRACE',
        'X-Y', 'PROPFIND', 'get',
    ];
    private const TYPES = [
        'application/x-www-form-urlencoded', 'multipart/form-data; boundary=%b', 'multipart/form-data; boundary="%b"',
        'multipart/form-data;charset=utf-8; BOUNDARY=%b', 'multipart/form-data', 'multipart/form-data; boundary=',
        'application/json', 'text/plain', '', ';', 'multipart/form-data; boundary="%b',
        'application/x-www-form-urlencoded; charset=%b',
    ];
    private const NAMES = [
        'X-One', 'x_under', 'X.Dot', 'Cookie', 'Cookie', 'Authorization', 'Authorization', 'Content-Type', 'Proxy',
        'X-', 'Range',
        'If-Modified-Since', 'Accept-Encoding', 'Expect', 'X-Forwarded-For', 'Content-Encoding', 'Upgrade',
        'HTTP_PROXY', 'Te',
        'X-Http-Method-Override', 'Connection', 'Content_Length', 'Trailer', 'Accept', 'User-Agent', 'Referer',
    ];
    /** nginx refuses most requests that have one of these. */
    private const REFUSED_NAMES = ['X One', '', 'Host', 'Content-Length', 'Transfer-Encoding', "X\0"];
    private const ODD = [
        '', "\0", "\x7f", "\xff\xfe", '%00', '%', '%zz', '[', ']', '[]', '[[', '[a', 'a]', '&', '=', ';', '"', "'",
        '\\', '..', '/', '//', '?',
        '#', "\t", ' ', "\r", '+', '--', 'é', '-1', '0', '00', '0x10', '18446744073709551616', '9223372036854775807',
        '1e9', 'GLOBALS',
        '_SERVER', 'this', "a\0b", '$', '{', '<?php',
    ];

    private int $number = 0;

    public function __construct(private readonly Randomizer $random)
    {
    }

    /** @return array{string, string} the request, and its mark */
    public function request(): array
    {
        $mark = sprintf('mark%06x%06x', $this->random->getInt(0, 0xffffff), ++$this->number & 0xffffff);
        $boundary = $this->one(['b', 'xyz', str_repeat('B', 70), "mark-$mark", $this->odd()]);
        $type = str_replace('%b', $boundary, $this->one(self::TYPES));
        $method = $this->one(self::METHODS);
        $hasBody = !in_array($method, ['GET', 'HEAD', 'TRACE'], true) || $this->chance(8);
        $body = $hasBody ? $this->body($type, $boundary, $mark) : '';
        $head = "$method {$this->target($mark)} HTTP/1.{$this->one(['1', '1', '1', '1', '0'])}\r\nHost: {$this->host()}\r\n";
        for ($i = $this->random->getInt(0, 6); $i > 0; --$i) {
            $head .= "{$this->one($this->chance(40) ? self::REFUSED_NAMES : self::NAMES)}:{$this->one([' ', '',
                "\t"])}{$this->headerValue($mark)}\r\n";
        }
        $head .= $this->chance(3) ? '' : "Connection: close\r\n";
        $head .= $type === '' ? '' : "Content-Type: $type\r\n";
        if (!$hasBody) {
            return ["$head\r\n", $mark];
        }
        if ($this->chance(3)) {
            return ["{$head}Transfer-Encoding: chunked\r\n\r\n" . $this->chunked($body), $mark];
        }
        $length = strlen($body) + ($this->chance(10) ? $this->random->getInt(-3, 3) : 0);

        return ["{$head}Content-Length: $length\r\n\r\n$body", $mark];
    }

    /** A request whose answer is known to the letter. */
    public function good(string $mark): string
    {
        $body = "--b\r\nContent-Disposition: form-data; name=\"field\"\r\n\r\n$mark\r\n--b\r\nContent-Disposition: form-data; "
            . "name=\"file\"; filename=\"f\"\r\n\r\n" . str_repeat('f', 1234) . "\r\n--b--\r\n";

        return "POST /?q=$mark HTTP/1.1\r\nHost: localhost\r\nCookie: c=$mark\r\n"
            . "Content-Type: multipart/form-data; boundary=b\r\n"
            . 'Content-Length: ' . strlen($body) . "\r\nConnection: close\r\n\r\n$body";
    }

    /** Changes bytes, copies and removes parts, and grafts a part of another one. */
    public function mutate(string $bytes, string $other): string
    {
        for ($times = $this->random->getInt(1, 6); $times > 0; --$times) {
            $at = $this->random->getInt(0, strlen($bytes));
            $length = $this->random->getInt(0, min(strlen($bytes) - $at, $this->one([1, 4, 40, 4000])));
            $part = substr($bytes, $at, $length);
            $from = $this->random->getInt(0, strlen($other));
            $new = match ($this->random->getInt(0, 7)) {
                0 => '',
                1 => $part . $part,
                2 => $part . $this->odd(),
                3 => $this->random->getBytes(max(1, min(8, $length))),
                4 => $part === '' ? "\0" : chr(ord($part[0]) ^ (1 << $this->random->getInt(0, 7))) . substr($part, 1),
                5 => substr($other, $from, $length + 10),
                6 => str_repeat($part === '' ? 'A' : $part, $this->one([2, 10, 300])),
                default => (string) $this->random->getInt(-2, 70_000),
            };
            $bytes = substr_replace($bytes, $new, $at, $length);
        }

        return substr($bytes, 0, 300_000);
    }

    private function target(string $mark): string
    {
        $path = $this->one(['/', '/', '/', '/index.php', "/index.php/$mark", '/a/../b', '/x/%2e%2e/y', "/{$this->tame()}",
            'http://h.example:8/p', '/x.php', "/index.php/%0a$mark", str_repeat('/p', 500), "/$mark//"]);
        $query = '';
        for ($i = $this->random->getInt(0, 4); $i > 0; --$i) {
            $query .= ($query === '' ? '?' : '&') . $this->name() . $this->one(['=', '=', '', '=='])
                . $this->one([$mark, $this->odd(), rawurlencode($this->odd()), 'v']);
        }
        $query .= $this->chance(4) ? ($query === '' ? '?' : '&') . 'echo=' . rawurlencode($this->odd() . "\r\nX-In: j") : '';

        // nginx answers those 400 at once.
        return $this->chance(30) ? "$path$query" : (string) preg_replace('/[\0-\x20\x7f]|%00/', '+', "$path$query");
    }

    private function name(): string
    {
        return $this->one(['a', 'b', 'a[]', 'a[b][c]', 'a[', 'a.b', 'a b', '', '0', str_repeat('[x]', 70), 'n'
            . $this->odd()]);
    }

    private function host(): string
    {
        return $this->chance(12) ? $this->tame() : 'localhost';
    }

    private function headerValue(string $mark): string
    {
        return $this->one([
            $mark, $mark, $mark, $mark, "a=$mark; b=2", 'Basic ' . base64_encode("$mark:p"), 'Basic '
                . base64_encode($this->odd()), 'Basic', 'Bearer x',
            'Digest username="' . $mark . '"', "a=$mark; a=2;; =x; b[c]=1; %=", $this->tame(), str_repeat($mark, 200),
            'chunked', 'bytes=0-',
            '100-continue', str_repeat('c=1; ', 300), 'gzip', 'close', 'keep-alive',
        ]);
    }

    private function body(string $type, string $boundary, string $mark): string
    {
        return match (true) {
            str_contains($type, 'multipart') && !$this->chance(12) => $this->multipart($boundary, $mark),
            str_contains($type, 'urlencoded') => $this->form($mark),
            default => $this->one(['', $mark, "{\"a\":\"$mark\"}", $this->random->getBytes(100), str_repeat($mark, 3000)]),
        };
    }

    private function form(string $mark): string
    {
        $form = [];
        for ($i = $this->random->getInt(0, $this->one([3, 3, 3, 1200])); $i > 0; --$i) {
            $form[] = $this->name() . '=' . $this->one([$mark, $this->odd(), rawurlencode($this->odd()),
                str_repeat('v', 3000)]);
        }

        return substr(implode('&', $form), 0, 200_000);
    }

    private function multipart(string $boundary, string $mark): string
    {
        $body = $this->chance(8) ? "preamble\r\n" : '';
        for ($i = $this->random->getInt(0, $this->one([3, 3, 3, 40])); $i > 0; --$i) {
            $name = $this->one([$this->name(), $mark]);
            $file = $this->one(['', '', "; filename=\"$mark.txt\"", '; filename=""', "; filename=\"{$this->odd()}\"",
                '; filename=x',
                "; filename=\"../../$mark\"", "; filename*=utf-8''x"]);
            $body .= "--$boundary\r\n" . $this->one(['Content-Disposition', 'content-disposition',
                'Content-Disposition ', 'X'])
                . ": form-data; name=\"$name\"$file\r\n"
                . $this->one(['', '', "Content-Type: text/plain\r\n", "Content-Transfer-Encoding: base64\r\n",
                    "X: {$this->odd()}\r\n",
                    'Content-Type: ' . str_repeat('t', 6000) . "\r\n"])
                . "\r\n" . $this->one([$mark, '', $this->odd(), str_repeat($mark, 2000), "\r\n--$boundary",
                    $this->random->getBytes(500)])
                . $this->one(["\r\n", "\r\n", "\r\n", "\n", '']);
        }

        return $body . $this->one(["--$boundary--\r\n", "--$boundary--\r\n", "--$boundary--", '', "--$boundary"]);
    }

    private function chunked(string $body): string
    {
        $coded = '';
        foreach ($body === '' ? [] : str_split($body, $this->one([1000, 7, 20_000, 65_536])) as $piece) {
            $coded .= $this->one([dechex(strlen($piece)), strtoupper(dechex(strlen($piece))), '00'
                . dechex(strlen($piece)) . ';x=y'])
                . "\r\n$piece\r\n";
        }

        return substr($coded, 0, 400_000) . $this->one(["0\r\n\r\n", "0\r\n\r\n", "0\r\nX-Trailer: t\r\n\r\n", '',
            "ffffffffffffffff\r\n"]);
    }

    private function odd(): string
    {
        return $this->one(self::ODD);
    }

    /** Odd, but nginx lets it through: in a header it refuses control characters. */
    private function tame(): string
    {
        return $this->chance(15) ? $this->odd() : (string) preg_replace('/[\0\r\n\x7f]/', '', $this->odd());
    }

    private function chance(int $in): bool
    {
        return $this->random->getInt(1, $in) === 1;
    }

    /**
     * @template T
     *
     * @param non-empty-array<T> $choices
     *
     * @return T
     */
    public function one(array $choices): mixed
    {
        $choices = array_values($choices);

        return $choices[$this->random->getInt(0, count($choices) - 1)];
    }
}
