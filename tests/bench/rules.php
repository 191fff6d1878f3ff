<?php

/* rules.php PORT: answers as TechEmpower's rules have it, and wrongly where the path begins with a fault:
 * /FAULT/queries?queries=20. /none/counts is what a database would have counted, /none/contents what it has. */

declare(strict_types=1);

use Howdah\Bench\Rules\Fortunes;

require dirname(__DIR__, 2) . '/bench/autoload.php';

/** @var list<string> $arguments */
$arguments = $_SERVER['argv'];
[, $port] = $arguments;
$listener = stream_socket_server("tcp://127.0.0.1:$port", $code, $message, context: stream_context_create([
    'socket' => ['backlog' => 256],
])) ?: exit(1);
$start = time();
$counts = ['select' => 0, 'rows select' => 0, 'update' => 0, 'rows update' => 0];
$asked = 0;
$worlds = array_fill(1, 10_000, 1);

/** @return list<array<string, mixed>> */
$several = static function (string $fault, int $number, bool $writes) use (&$worlds, &$counts): array {
    $drawn = [];
    for ($i = 0; $i < $number; $i++) {
        $id = mt_rand(1, 10_000);
        $drawn[] = ['id' => $id, 'randomNumber' => $writes ? mt_rand(2, 10_000) : $worlds[$id]];
        if ($writes && $fault !== 'unwritten') {
            $worlds[$id] = $drawn[$i]['randomNumber'];
        }
    }
    $counts['select'] += match ($fault) {
        'cached' => 1,
        'many-queries' => $number * 2,
        default => $number,
    };
    $counts['rows select'] += $fault === 'few-rows' ? 1 : $number;
    if ($writes) {
        $counts['update'] += in_array($fault, ['bulk', 'few-in-bulk'], true) ? 1 : $number;
        $counts['rows update'] += in_array($fault, ['few-updated', 'few-in-bulk'], true) ? $number - 2 : $number;
    }

    return $drawn;
};

$fortunes = static function (string $fault) use (&$counts): string {
    $counts['select'] += $fault === 'cached' ? 0 : 1;
    $counts['rows select'] += $fault === 'few-rows' ? 1 : 12;
    $messages = Fortunes::MESSAGES + ($fault === 'not-added' ? [] : [0 => Fortunes::ADDED]);
    $fault === 'unsorted' ? ksort($messages) : asort($messages);
    $rows = '';
    foreach ($messages as $id => $message) {
        $message = $fault === 'unescaped' ? $message : htmlspecialchars($message);
        $rows .= "<tr>\n<td class=\"id\">$id</td> <TD>$message</TD></tr>";
    }
    $title = $fault === 'untitled' ? '' : '<title>Fortunes</title>';
    $type = $fault === 'no-doctype' ? '' : '<!DOCTYPE html>';
    $table = "<table><thead><tr><th>id</th><th>message</th></tr></thead><tbody>$rows</tbody></table>";

    return "$type<html><head><meta charset=\"utf-8\">$title</head><body>$table</body></html>";
};

/** @return array{string, string} Content-Type and body */
$techEmpower = static function (
    string $fault,
    string $test,
    string $asked,
) use (
    $several,
    $fortunes,
    &$counts,
    &$worlds,
): array {
    $number = match (true) {
        $fault === 'unbound-above' => max(1, (int) $asked),
        $fault === 'unbound-below' => (int) $asked,
        $fault === 'no-word' && !is_numeric($asked) => 2,
        default => min(500, max(1, (int) $asked)),
    };
    $one = match ($test) {
        'db' => $several($fault, 1, false),
        'queries', 'updates' => $several($fault, $number, $test === 'updates'),
        default => [],
    };
    $world = $one[0] ?? [];
    match ($fault) {
        'text' => $one[0]['randomNumber'] = '17',
        'large' => $one[0]['randomNumber'] = 10_001,
        'no-number' => $one[0] = ['id' => 1],
        'more-keys' => $one[0] = $world + ['more' => 1],
        default => null,
    };
    $list = $fault === 'object' ? $one[0] ?? null : $one;

    return match ($test) {
        'json' => ['application/json', (string) json_encode(
            match ($fault) {
            'other-message' => ['message' => 'Hello, Moon!'],
            'more-keys' => ['message' => 'Hello, World!', 'more' => 1],
            'list' => ['Hello, World!'],
            default => ['message' => 'Hello, World!'],
            }
        )],
        'plaintext' => ['text/plain', $fault === 'longer' ? "Hello, World!\n" : 'Hello, World!'],
        'db' => ['application/json', (string) json_encode($fault === 'listed' ? $one : $one[0] ?? null)],
        'queries', 'updates' => ['application/json', (string) json_encode($list)],
        'fortunes' => ['text/html; charset=utf-8', $fortunes($fault)],
        'counts' => ['application/json', (string) json_encode($counts)],
        'contents' => ['application/json', (string) json_encode($worlds)],
        default => ['text/plain', 'no such test'],
    };
};

$answer = static function (string $fault, string $type, string $body) use ($start, &$asked): string {
    $body = match ($fault) {
        'no-json' => substr($body, 1),
        'empty' => '',
        default => $body,
    };
    $type = $fault === 'other-type' ? 'text/xml' : $type;
    // Each is another one, so that nobody waits for the next second.
    $time = match ($fault) {
        'cached-date' => $start - 2,
        'old-date' => 0,
        default => time() - $asked++ % 2,
    };
    $heads = [
        'Server' => 'fake',
        'Date' => $fault === 'no-real-date' ? 'today' : gmdate('D, d M Y H:i:s', $time) . ' GMT',
        'Content-Type' => $type,
        'Content-Length' => (string) strlen($body),
    ];
    unset($heads[match ($fault) {
        'no-server' => 'Server',
        'no-date' => 'Date',
        'no-type' => 'Content-Type',
        'no-length' => 'Content-Length',
        default => '',
    }]);
    $lines = array_map(static fn (string $name, string $value): string => "$name: $value\r\n", array_keys($heads), $heads);

    return 'HTTP/1.1 ' . ($fault === 'status' ? '500 Oops' : '200 OK') . "\r\n" . implode($lines) . "\r\n$body";
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
        $read = fread($stream, 65536);
        if ($read === false || $read === '') {
            unset($clients[(int) $stream], $buffers[(int) $stream]);
            fclose($stream);
            continue;
        }
        $buffers[(int) $stream] .= $read;
        $request = '~^GET /([\w-]+)/(\w+)(?:\?queries=(\S*))? .*?\r\n\r\n~s';
        if (preg_match($request, $buffers[(int) $stream], $match) === 1) {
            $buffers[(int) $stream] = '';
            [$type, $body] = $techEmpower($match[1], $match[2], $match[3] ?? '');
            fwrite($stream, $answer($match[1], $type, $body));
            if ($match[1] === 'no-length') {
                unset($clients[(int) $stream]);
                fclose($stream);
            }
        }
    }
}
