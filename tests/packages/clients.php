<?php

/**
 * Clients that ask for pages one after the other until they are told to stop.
 *
 * Usage: php clients.php STOP COUNT URL...
 *
 * COUNT clients for each URL, until the file STOP is there. After each answer the file STOP.PORT is there. Prints a line
 * for each URL: how many requests were answered, refused (nobody listened), unanswered (connected, and closed without a
 * byte), and cut (an answer that is not whole, or not 200).
 */

declare(strict_types=1);

namespace Howdah\Tests\Packages;

use RuntimeException;

const OUTCOMES = ['answered', 'refused', 'unanswered', 'cut'];

/** @return value-of<OUTCOMES> */
function ask(string $host, int $port, string $path): string
{
    $socket = @stream_socket_client("tcp://$host:$port", $code, $message, 60);
    if ($socket === false) {
        return 'refused';
    }
    stream_set_timeout($socket, 120);
    @fwrite($socket, "GET $path HTTP/1.1\r\nHost: shop\r\nConnection: close\r\n\r\n");
    $answer = (string) @stream_get_contents($socket);
    if ($answer === '') {
        return 'unanswered';
    }

    return str_starts_with($answer, 'HTTP/1.1 200 ') && str_contains($answer, 'done') ? 'answered' : 'cut';
}

/** @return array<value-of<OUTCOMES>, int> */
function askUntil(string $stop, string $url): array
{
    $host = (string) parse_url($url, PHP_URL_HOST);
    $port = (int) parse_url($url, PHP_URL_PORT);
    $path = (string) parse_url($url, PHP_URL_PATH);
    $outcomes = array_fill_keys(OUTCOMES, 0);
    while (!file_exists($stop)) {
        clearstatcache();
        $outcome = ask($host, $port, $path);
        $outcomes[$outcome]++;
        if ($outcome === 'answered') {
            touch("$stop.$port");
        } else {
            usleep(10_000); // comes again soon, not at once
        }
    }

    return $outcomes;
}

/** @var list<string> $argv */
[, $stop, $count] = $argv;
$channels = [];
foreach (array_slice($argv, 3) as $url) {
    for ($i = 0; $i < (int) $count; $i++) {
        $pair = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0) ?: throw new RuntimeException('no sockets');
        if (pcntl_fork() === 0) {
            fwrite($pair[1], (string) json_encode(askUntil($stop, $url)));
            exit(0);
        }
        fclose($pair[1]);
        $channels[$url][] = $pair[0];
    }
}
foreach ($channels as $url => $ends) {
    $sums = array_fill_keys(OUTCOMES, 0);
    foreach ($ends as $end) {
        /** @var array<value-of<OUTCOMES>, int> $outcomes */
        $outcomes = json_decode((string) stream_get_contents($end), true);
        foreach ($outcomes as $outcome => $number) {
            $sums[$outcome] += $number;
        }
    }
    echo $url, ' ', http_build_query($sums, '', ' '), "\n";
}
