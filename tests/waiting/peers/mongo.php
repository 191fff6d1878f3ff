<?php

/**
 * A stand-in for mongod, which Debian does not have: `php mongo.php PORT`.
 *
 * It speaks OP_MSG (and OP_QUERY for the first hello) as far as a client needs to select a server and to run commands: hello
 * and ping are answered at once, {sleep: MS} so much later. The messages are read and written by the extension's own BSON.
 */

declare(strict_types=1);

use Howdah\WaitingTests\Peers\Loop;

require __DIR__ . '/Loop.php';

const OP_REPLY = 1;
const OP_MSG = 2013;

/** @return array<array-key, mixed> */
function command(int $code, string $body): array
{
    // OP_MSG: flags, a section's kind. OP_QUERY: flags, the collection's name, skip, limit.
    $document = substr($body, $code === OP_MSG ? 5 : (int) strpos($body, "\0", 4) + 9);
    $length = unpack('V', $document)[1] ?? 0;
    $document = substr($document, 0, is_int($length) ? $length : 0);
    $types = ['root' => 'array'];
    // The extension has the class since 1.16, and the functions until 2.0.
    if (class_exists('MongoDB\BSON\Document')) {
        return (array) MongoDB\BSON\Document::fromBSON($document)->toPHP($types);
    }

    return function_exists('MongoDB\BSON\toPHP') ? (array) MongoDB\BSON\toPHP($document, $types) : [];
}

/** @param array<string, mixed> $fields */
function document(array $fields): string
{
    if (class_exists('MongoDB\BSON\Document')) {
        return (string) MongoDB\BSON\Document::fromPHP($fields);
    }

    /** @var string $document */
    $document = function_exists('MongoDB\BSON\fromPHP') ? MongoDB\BSON\fromPHP($fields) : '';

    return $document;
}

/** @param array<array-key, mixed> $command */
function answer(array $command): string
{
    $hello = isset($command['hello']) || isset($command['isMaster']) || isset($command['ismaster']);

    return document(['ok' => 1.0] + match (true) {
        $hello => [
            'isWritablePrimary' => true,
            'ismaster' => true,
            'maxBsonObjectSize' => 16777216,
            'maxMessageSizeBytes' => 48000000,
            'maxWriteBatchSize' => 100000,
            'minWireVersion' => 0,
            'maxWireVersion' => 17,
            'readOnly' => false,
        ],
        isset($command['sleep']) => ['slept' => $command['sleep']],
        default => [],
    });
}

function message(int $code, int $request, string $document): string
{
    $body = $code === OP_MSG ? pack('VC', 0, 0) . $document : pack('VPVV', 8, 0, 0, 1) . $document;

    return pack('VVVV', 16 + strlen($body), 0, $request, $code === OP_MSG ? OP_MSG : OP_REPLY) . $body;
}

/** @var list<string> $argv */
$loop = new Loop();
$listener = stream_socket_server("tcp://127.0.0.1:$argv[1]") ?: exit(1);
$loop->onReadable($listener, static function ($listener) use ($loop): void {
    $client = stream_socket_accept($listener) ?: throw new RuntimeException('no connection');
    $buffer = '';
    $loop->onReadable($client, static function ($client) use ($loop, &$buffer): void {
        $data = (string) fread($client, 65536);
        if ($data === '') {
            $loop->close($client);

            return;
        }
        $buffer .= $data;
        while (strlen($buffer) >= 16) {
            /** @var array{length: int, request: int, code: int} $head */
            $head = unpack('Vlength/Vrequest/Vanswers/Vcode', $buffer);
            if (strlen($buffer) < $head['length']) {
                break;
            }
            $command = command($head['code'], substr($buffer, 16, $head['length'] - 16));
            $buffer = substr($buffer, $head['length']);
            $seconds = is_int($command['sleep'] ?? null) ? $command['sleep'] / 1000 : 0.0;
            $loop->after($seconds, static function () use ($client, $head, $command): void {
                if (is_resource($client)) {
                    fwrite($client, message($head['code'], $head['request'], answer($command)));
                }
            });
        }
    });
});
$loop->run();
