<?php

/**
 * An HTTP server that takes its time: `php slow-http.php PORT`. It answers GET /SECONDS/TEXT with TEXT, so many seconds later,
 * or, where SECONDS is negative, when somebody asks for /open, which is answered after them.
 */

declare(strict_types=1);

use Howdah\WaitingTests\Peers\Loop;

require __DIR__ . '/Loop.php';

/** @var list<string> $argv */
$context = stream_context_create(['socket' => ['backlog' => 1024]]);
$listener = stream_socket_server("tcp://127.0.0.1:$argv[1]", $code, $message, context: $context)
    ?: throw new RuntimeException((string) $message);
stream_set_blocking($listener, false);
$loop = new Loop();
$answer = static function ($client, string $text) use ($loop): void {
    if (is_resource($client)) {
        @fwrite($client, "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nConnection: close\r\n\r\n$text");
        $loop->close($client);
    }
};
/** @var list<array{resource, string}> $kept */
$kept = [];
$loop->onReadable($listener, static function ($listener) use ($loop, $answer, &$kept): void {
    while (($client = @stream_socket_accept($listener, 0)) !== false) {
        $loop->onReadable($client, static function ($client) use ($loop, $answer, &$kept): void {
            // A request this short comes in one piece; nothing is the client's end.
            $words = explode('/', explode(' ', (string) fread($client, 65536), 3)[1] ?? '');
            if (($words[1] ?? '') === 'open') {
                foreach ([...$kept, [$client, 'open']] as [$waiting, $text]) {
                    $answer($waiting, $text);
                }
                $kept = [];
            } elseif (count($words) !== 3) {
                $loop->close($client);
            } elseif ((float) $words[1] < 0) {
                $kept[] = [$client, $words[2]];
            } else {
                $loop->after((float) $words[1], static fn () => $answer($client, $words[2]));
            }
        });
    }
});
$loop->run();
