<?php

/* arena.php PORT: answers as HttpArena's rules have it, and wrongly where the path begins with a fault: /FAULT/json/12?m=3. */

declare(strict_types=1);

/** @var list<string> $arguments */
$arguments = $_SERVER['argv'];
$listener = stream_socket_server("tcp://127.0.0.1:$arguments[1]") ?: exit(1);

/** @param array<mixed> $query */
$number = static fn (array $query, string $name): int => is_numeric($query[$name] ?? null) ? (int) $query[$name] : 0;

/** @return array{string, string} Content-Type and body */
$answer = static function (string $fault, string $path, string $target, string $body, bool $chunked) use ($number): array {
    /** @var array<string, string> $kept */
    static $kept = [];
    parse_str((string) parse_url($target, PHP_URL_QUERY), $query);
    if ($path === 'upload') {
        return ['text/plain', (string) ($fault === 'claimed' && $chunked ? 0 : min(strlen($body), match ($fault) {
            'cut' => 100_000,
            'hardcoded' => 17,
            default => PHP_INT_MAX,
        }))];
    }
    if ($path === 'baseline11') {
        $sum = $number($query, 'a') + $number($query, 'b') + (int) $body;

        return ['text/plain', match (true) {
            $fault === 'hardcoded' => $body === '' ? '55' : '75',
            $fault === 'kept' => $kept[$body === '' ? $target : 'POST'] ??= (string) $sum,
            $fault === 'no-chunks' && $chunked => (string) ($sum - (int) $body),
            $fault === 'no-body' => (string) ($sum - (int) $body),
            default => (string) $sum,
        }];
    }
    $items = [];
    $count = $path === 'json' ? (int) basename((string) parse_url($target, PHP_URL_PATH)) : $number($query, 'limit');
    $count = match (true) {
        $path !== 'json' && ($query['min'] ?? null) === '9999' => $fault === 'never-empty' ? 50 : 0,
        $fault === 'fewer' => $count - 1,
        default => $count,
    };
    for ($id = 1; $id <= $count; $id++) {
        $item = ['id' => $fault === 'other-items' ? 51 - $id : $id, 'price' => $path === 'json' ? $id : $number($query, 'min')];
        $item += ['quantity' => 2, 'active' => true, 'tags' => ['new'], 'rating' => ['score' => 1]];
        $item += $path === 'json' ? ['total' => $id * 2 * ($fault === 'no-factor' ? 1 : $number($query, 'm'))] : [];
        $items[] = match ($fault) {
            'no-total' => array_diff_key($item, ['total' => 1]),
            'no-rating' => array_diff_key($item, ['rating' => 1]),
            'tags-as-text' => ['tags' => '["new"]'] + $item,
            'active-as-text' => ['active' => 't'] + $item,
            'out-of-range' => ['price' => 1] + $item,
            default => $item,
        };
    }

    return ['application/json', (string) json_encode(['items' => $items, 'count' => $fault === 'other-count' ? 7 : $count])];
};

$clients = [];
$buffers = [];
while (true) {
    $ready = [$listener, ...$clients];
    $none = [];
    if (stream_select($ready, $none, $none, 60) === false) {
        exit(1);
    }
    foreach ($ready as $stream) {
        if ($stream === $listener) {
            $client = stream_socket_accept($listener);
            if ($client !== false) {
                stream_set_blocking($client, false);
                $clients[(int) $client] = $client;
                $buffers[(int) $client] = '';
            }
            continue;
        }
        $read = fread($stream, 1 << 20);
        if ($read === false || $read === '') {
            unset($clients[(int) $stream], $buffers[(int) $stream]);
            fclose($stream);
            continue;
        }
        $buffer = ($buffers[(int) $stream] ?? '') . $read;
        $buffers[(int) $stream] = $buffer;
        $parts = explode("\r\n\r\n", $buffer, 2);
        [$head, $body] = [$parts[0], $parts[1] ?? null];
        $known = preg_match('~^\w+ (/([\w-]+)/([\w-]+)\S*) HTTP~', $buffer, $match) === 1;
        // Who takes what came first for all that comes.
        $impatient = str_contains($buffer, '/one-read/') || str_contains($buffer, '/no-late-body/') && $body !== null;
        $chunked = str_contains($head, 'Transfer-Encoding: chunked');
        $length = preg_match('/Content-Length: (\d+)/', $head, $lengths) === 1 ? (int) $lengths[1] : 0;
        $whole = $body !== null && ($chunked ? str_ends_with($body, "0\r\n\r\n") : strlen($body) >= $length);
        if (!$whole && !$impatient) {
            continue;
        }
        $buffers[(int) $stream] = '';
        if ($chunked && is_string($body)) {
            $body = explode("\r\n", $body)[1] ?? '';
        }
        [$type, $text] = $known ? $answer($match[2], $match[3], $match[1], (string) $body, $chunked) : ['text/plain', 'what?'];
        $type = ($match[2] ?? '') === 'other-type' ? 'text/html' : $type;
        $head = "HTTP/1.1 200 OK\r\nContent-Type: $type\r\nContent-Length: " . strlen($text);
        fwrite($stream, "$head\r\n\r\n$text");
    }
}
