<?php

/** An HTTP server that takes its time: `php slow-http.php PORT`. It answers GET /SECONDS/TEXT with TEXT, so many seconds later. */

declare(strict_types=1);

use Howdah\WaitingTests\Peers\Loop;

require __DIR__ . '/Loop.php';

/** @var list<string> $argv */
$context = stream_context_create(['socket' => ['backlog' => 1024]]);
$listener = stream_socket_server("tcp://127.0.0.1:$argv[1]", $code, $message, context: $context)
    ?: throw new RuntimeException((string) $message);
stream_set_blocking($listener, false);
$loop = new Loop();
$loop->onReadable($listener, static function ($listener) use ($loop): void {
    while (($client = @stream_socket_accept($listener, 0)) !== false) {
        $loop->onReadable($client, static function ($client) use ($loop): void {
            // A request this short comes in one piece; nothing is the client's end.
            $words = explode('/', explode(' ', (string) fread($client, 65536), 3)[1] ?? '');
            if (count($words) !== 3) {
                $loop->close($client);
                return;
            }
            $loop->after((float) $words[1], static function () use ($loop, $client, $words): void {
                if (is_resource($client)) {
                    @fwrite($client, "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nConnection: close\r\n\r\n$words[2]");
                    $loop->close($client);
                }
            });
        });
    }
});
$loop->run();
