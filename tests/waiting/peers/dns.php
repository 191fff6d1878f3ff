<?php

/**
 * A name server that takes its time: `php dns.php ADDRESS`. It tells what it knows of slowMS.howdah.test (A, MX, TXT; no AAAA)
 * after MS milliseconds, the name of 10.2.A.B after A * 256 + B milliseconds, and of never.howdah.test nothing, ever. From
 * SIGUSR1 on it answers at once, also what it was asked before.
 */

declare(strict_types=1);

namespace Howdah\WaitingTests\Peers;

use RuntimeException;

require __DIR__ . '/Loop.php';

/** RFC 1035, section 3.2.2. */
const A = 1;
const PTR = 12;
const MX = 15;
const TXT = 16;

/** @return string a name as labels with their lengths */
function labels(string $name): string
{
    return implode('', array_map(static fn (string $label) => chr(strlen($label)) . $label, explode('.', $name))) . "\0";
}

/** @return ?array{float, string} after how many seconds, what to say; null: never anything */
function answer(string $query): ?array
{
    $names = [];
    for ($at = 12; ($length = ord($query[$at])) > 0; $at += $length + 1) {
        $names[] = strtolower(substr($query, $at + 1, $length));
    }
    $name = implode('.', $names);
    $type = ord($query[$at + 1]) << 8 | ord($query[$at + 2]);
    $ms = 0;
    $error = 0;
    $data = null;
    if (preg_match('/^slow(\d+)\.howdah\.test$/', $name, $parts) === 1) {
        $ms = (int) $parts[1];
        $data = match ($type) {
            A => "\x7f\0\0\1",
            MX => pack('n', 10) . labels('mail.howdah.test'),
            TXT => chr(4) . 'slow',
            default => null,
        };
    } elseif (preg_match('/^(\d+)\.(\d+)\.2\.10\.in-addr\.arpa$/', $name, $parts) === 1) {
        $ms = (int) $parts[2] * 256 + (int) $parts[1];
        $data = $type === PTR ? labels('slow.howdah.test') : null;
    } elseif ($name === 'never.howdah.test') {
        return null;
    } else {
        $error = 3;
    }
    // Section 4.1: an answer that is authoritative, to the question repeated; the record's name is a pointer to byte 12.
    $head = substr($query, 0, 2) . pack('n5', 0x8580 | $error, 1, $data === null ? 0 : 1, 0, 0);
    $record = $data === null ? '' : pack('nnnNn', 0xc00c, $type, 1, 60, strlen($data)) . $data;

    return [$ms / 1000, $head . substr($query, 12, $at + 5 - 12) . $record];
}

/** @var list<string> $argv */
[, $address] = $argv;
$socket = stream_socket_server("udp://$address:53", $code, $message, STREAM_SERVER_BIND);
if ($socket === false) {
    throw new RuntimeException("$address:53: $message");
}
$loop = new Loop();
$loop->onReadable($socket, static function ($socket) use ($loop): void {
    $answer = answer((string) stream_socket_recvfrom($socket, 512, 0, $from));
    if ($answer !== null) {
        $loop->after($answer[0], static function () use ($socket, $answer, $from): void {
            assert(is_string($from));
            stream_socket_sendto($socket, $answer[1], 0, $from);
        });
    }
});
pcntl_async_signals(true);
pcntl_signal(SIGUSR1, $loop->hurry(...));
echo "ready\n";
$loop->run();
