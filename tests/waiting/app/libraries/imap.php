<?php

/** What one request sets and sees through ext/imap's library, while others do: `?n=NUMBER`. */

declare(strict_types=1);

use Howdah\WaitingTests\App\Settings;

require_once dirname(__DIR__) . '/autoload.php';

$number = is_string($_GET['n']) ? (int) $_GET['n'] : -1;
['host' => $host, 'port' => $port, 'slow' => $slow] = Settings::of('Imap');
imap_timeout(IMAP_READTIMEOUT, 100 + $number);
// Another way to the same server for each second one: a name that the library keeps while it connects.
$imap = imap_open("{{$host}:" . ($number % 2 === 0 ? $port : $slow) . '/imap/notls}INBOX', 'ada', 'engine', OP_READONLY, 1);
if ($imap === false) {
    exit("$number: " . json_encode(imap_errors()) . "\n");
}
imap_search($imap, 'SUBJECT "wait:0.02:"');
usleep(20_000);
$subjects = [];
/** @var list<int> $messages */
$messages = imap_search($imap, 'FROM "ada"') ?: [];
foreach ($messages as $message) {
    $subjects[] = imap_headerinfo($imap, $message)->subject ?? '';
}
imap_close($imap);
imap_errors();

echo "$number: ", json_encode([(int) imap_timeout(IMAP_READTIMEOUT) - 100, $subjects]), "\n";
