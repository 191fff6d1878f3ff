<?php

/**
 * Sends requests to a /probe endpoint from many clients at once and checks each answer against the id of its own request.
 * Exits 0 when all were right.
 */

declare(strict_types=1);

namespace Howdah\Tests\Isolation;

require_once __DIR__ . '/Probe.php';
require_once __DIR__ . '/Answer.php';
require_once __DIR__ . '/Client.php';
require_once __DIR__ . '/Tally.php';
require_once __DIR__ . '/Crowd.php';

const USAGE = <<<'TEXT'
    Usage: php hammer.php --url=URL [options]
      --url=URL          the probe, for example http://127.0.0.1:8080/probe
      --requests=10000   how many requests in all
      --clients=32       how many at once; each has its own connection and cookies
      --ms=0-20          how long a request waits, one number or a range
      --seed=1           the same seed sends the same requests
      --kinds=get,form,raw,upload   what kinds of request
      --waits=usleep,nanosleep,select,flock   how a request waits
      --session=50       how many percent of the requests use the session
      --one-worker       fail when more than one worker process answers
      --timeout=60       seconds for one request
      --json             print the counts as JSON

    TEXT;

$options = getopt(
    '',
    ['url:', 'requests:', 'clients:', 'ms:', 'seed:', 'kinds:', 'waits:', 'session:', 'timeout:', 'one-worker', 'json', 'help'],
    $rest,
);
/** @var array<string, string|false|list<string|false>> $options */
$text = static fn (string $name, string $default): string => is_string($options[$name] ?? null) ? $options[$name] : $default;
if ($text('url', '') === '' || isset($options['help']) || $rest < $argc) {
    fwrite(STDERR, USAGE);
    exit(isset($options['help']) ? 0 : 2);
}
if (preg_match('/^(\d+)(?:-(\d+))?$/D', $text('ms', '0-20'), $range) !== 1) {
    fwrite(STDERR, "hammer: --ms={$text('ms', '')}: must be a number or a range such as 0-20\n");
    exit(2);
}
$kinds = array_values(array_intersect(Client::KINDS, explode(',', $text('kinds', implode(',', Client::KINDS)))));
if ($kinds === []) {
    fwrite(STDERR, 'hammer: --kinds: choose from ' . implode(', ', Client::KINDS) . "\n");
    exit(2);
}

$crowd = new Crowd(
    url: $text('url', ''),
    requests: max(1, (int) $text('requests', '10000')),
    clients: max(1, (int) $text('clients', '32')),
    msFrom: (int) $range[1],
    msTo: max((int) $range[1], (int) ($range[2] ?? $range[1])),
    seed: (int) $text('seed', '1'),
    kinds: $kinds,
    waits: $text('waits', ''),
    sessionPercent: (int) $text('session', '50'),
    timeout: max(1, (int) $text('timeout', '60')),
);
$tally = $crowd->run();
$failed = !$tally->allRight() || (isset($options['one-worker']) && count($tally->workers()) > 1);
echo isset($options['json']) ? json_encode($tally->summary(), JSON_THROW_ON_ERROR) . "\n" : $tally->report();
exit($failed ? 1 : 0);
