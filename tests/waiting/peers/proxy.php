<?php

/**
 * Makes a server slow that cannot wait by itself: `php proxy.php PORT TARGET ...` passes everything on, but what a client sends
 * with `wait:SECONDS:` in it (a key, a name) is held back for that long, with all that the same client sends after it.
 */

declare(strict_types=1);

use Howdah\WaitingTests\Peers\Loop;

require __DIR__ . '/Loop.php';

/**
 * @param resource $from
 * @param resource $to
 */
function passSlowly(Loop $loop, $from, $to): void
{
    $free = 0.0;
    $loop->onReadable($from, static function ($from) use ($loop, $to, &$free): void {
        $data = (string) fread($from, 65536);
        if ($data === '') {
            $loop->close($from);
            $loop->close($to);

            return;
        }
        $now = microtime(true);
        $free = max($now, $free) + (preg_match('/wait:([\d.]+):/', $data, $match) === 1 ? (float) $match[1] : 0.0);
        $loop->after($free - $now, static function () use ($to, $data): void {
            // Whoever closes a connection takes back what is held.
            if (is_resource($to)) {
                fwrite($to, $data);
            }
        });
    });
}

function door(Loop $loop, string $port, string $target): void
{
    $context = stream_context_create(['socket' => ['backlog' => 1024]]);
    $listener = stream_socket_server("tcp://127.0.0.1:$port", context: $context) ?: exit(1);
    $loop->onReadable($listener, static function ($listener) use ($loop, $target): void {
        $near = stream_socket_accept($listener);
        $far = stream_socket_client($target);
        if ($near !== false && $far !== false) {
            passSlowly($loop, $near, $far);
            passSlowly($loop, $far, $near);
        }
    });
}

$loop = new Loop();
/** @var list<string> $argv */
$arguments = array_slice($argv, 1);
foreach (array_chunk($arguments, 2) as [$port, $target]) {
    door($loop, $port, $target);
}
$loop->run();
