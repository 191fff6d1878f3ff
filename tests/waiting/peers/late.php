<?php

/**
 * A server that is late: php late.php CONTROL SILENT FULL (ports of 127.0.0.1).
 *
 * On CONTROL it takes "SECONDS HOST PORT" and answers with the number of a new port; whoever connects there is connected with
 * HOST:PORT so many seconds later, or cut off where nothing listens. On SILENT it takes connections and never says anything. On
 * FULL it takes none, and the kernel may not keep more for it: who connects waits.
 */

declare(strict_types=1);

use Howdah\WaitingTests\Peers\Loop;

require __DIR__ . '/Loop.php';

/** @return resource */
function listen(int $port, int $backlog = 1024)
{
    $context = stream_context_create(['socket' => ['backlog' => $backlog]]);
    $socket = stream_socket_server("tcp://127.0.0.1:$port", $code, $message, context: $context);

    return $socket ?: throw new RuntimeException((string) $message);
}

/**
 * @param  resource $listener
 * @return resource
 */
function accept($listener)
{
    return stream_socket_accept($listener) ?: throw new RuntimeException('no connection');
}

/**
 * @param resource $from
 * @param resource $to
 */
function pass(Loop $loop, $from, $to): void
{
    $loop->onReadable($from, static function ($from) use ($loop, $to): void {
        $data = (string) fread($from, 65536);
        if ($data === '' || @fwrite($to, $data) === false) {
            $loop->close($from);
            $loop->close($to);
        }
    });
}

/** Returns the port where the next connection is passed on, so many seconds late. */
function late(Loop $loop, float $seconds, string $address): string
{
    $listener = listen(0);
    $loop->onReadable($listener, static function ($listener) use ($loop, $seconds, $address): void {
        $near = accept($listener);
        $loop->close($listener);
        $loop->after($seconds, static function () use ($loop, $near, $address): void {
            $far = @stream_socket_client("tcp://$address");
            if ($far === false) {
                fclose($near);

                return;
            }
            pass($loop, $near, $far);
            pass($loop, $far, $near);
        });
    });
    $name = (string) stream_socket_get_name($listener, false);

    return substr($name, (int) strrpos($name, ':') + 1);
}

$loop = new Loop();
/** @var list<string> $argv */
[, $control, $silent, $full] = $argv;
$kept = [listen((int) $full, 1)];
for ($number = 1; $number <= 8; $number++) {
    $kept[] = stream_socket_client("tcp://127.0.0.1:$full", flags: STREAM_CLIENT_ASYNC_CONNECT | STREAM_CLIENT_CONNECT);
}
$loop->onReadable(listen((int) $silent), static function ($listener) use (&$kept): void {
    $kept[] = accept($listener);
});
$loop->onReadable(listen((int) $control), static function ($listener) use ($loop): void {
    $loop->onReadable(accept($listener), static function ($client) use ($loop): void {
        $words = explode(' ', trim((string) fgets($client)));
        if (count($words) === 3) {
            fwrite($client, late($loop, (float) $words[0], "$words[1]:$words[2]") . "\n");
        }
        $loop->close($client);
    });
});
$loop->run();
