<?php

/**
 * Another process that has what rows wait for: `php holder.php PORT`.
 *
 * A client sends "KIND NAME SECONDS"; a child of this process takes it, answers "held", lets it go after SECONDS, or earlier
 * when the client closes the connection, and removes what it has made when the client has gone.
 */

declare(strict_types=1);

use Howdah\WaitingTests\Peers\Lock;

require __DIR__ . '/Lock.php';

/** @var list<string> $argv */
$listener = stream_socket_server("tcp://127.0.0.1:$argv[1]") ?: exit(1);
pcntl_signal(SIGCHLD, SIG_IGN);
for (;;) {
    $client = stream_socket_accept($listener, 3600);
    if ($client === false || pcntl_fork() !== 0) {
        continue;
    }
    fclose($listener);
    $parent = posix_getppid();
    $words = explode(' ', trim((string) fgets($client)));
    if (count($words) !== 3) {
        exit(0);
    }
    $lock = new Lock($words[0], $words[1]);
    fwrite($client, "held\n");
    $until = microtime(true) + (float) $words[2];
    $isThere = static function (float $seconds) use ($client, $parent): bool {
        $ready = [$client];
        $none = null;

        return stream_select($ready, $none, $none, 0, (int) ($seconds * 1e6)) === 0 && posix_getppid() === $parent;
    };
    while (($left = $until - microtime(true)) > 0 && $isThere(min($left, 0.5))) {
    }
    $lock->release();
    while ($isThere(0.5)) {
    }
    $lock->remove();
    exit(0);
}
