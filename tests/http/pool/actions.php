<?php

declare(strict_types=1);

namespace Howdah\HttpTests\Pool;

use RuntimeException;

use function Howdah\HttpTests\computeAtDoor;
use function Howdah\HttpTests\stickAtCork;
use function Howdah\HttpTests\waitAtDoor;

require_once dirname(__DIR__) . '/door.php';

/** What the application of PoolTest, GarbageTest and TurnTest does: the path names the action, n says how much. */
function act(): void
{
    $n = number('n');
    match (parse_url(is_string($_SERVER['REQUEST_URI'] ?? null) ? $_SERVER['REQUEST_URI'] : '', PHP_URL_PATH)) {
        '/status' => print json_encode(function_exists('Howdah\status') ? \Howdah\status() : null),
        '/wait' => print waitFor($n),
        '/naps' => nap($n),
        '/gate' => print gate(),
        '/door' => print atDoor(waitAtDoor(...)),
        '/computes' => print atDoor(computeAtDoor(...)),
        '/odd' => require_once dirname(__DIR__) . '/app/odd.php',
        '/sticks' => print atDoor(stickAtCork(...)),
        '/tell' => print told($n),
        '/tells' => tells($n),
        '/exit' => exit('left'),
        '/code' => http_response_code($n),
        '/server', '/never', '/half', '/distrusts', '/untraced' => print json_encode(array_intersect_key(
            $_SERVER,
            ['HTTP_TRACEPARENT' => '', 'HTTP_TRACESTATE' => ''],
        )),
        '/echo' => print echoText(),
        '/block' => print block($n),
        '/compute' => print compute($n),
        '/digest' => print digest($n),
        '/lock' => print lock(),
        '/record' => print record(),
        '/late-open' => print lateOpen($n),
        '/ask' => print ask($n),
        '/hold' => hold($n),
        '/keep' => print keep($n),
        '/cycles' => cycle($n, static fn () => null),
        '/prints' => cycle($n, static fn () => print tell('printed by a destructor')),
        '/throws' => cycle($n, static fn () => throw new RuntimeException(tell('thrown by a destructor'))),
        '/waits' => waits($n, string('at')),
        '/exits' => cycle($n, static fn () => exit(1)),
        '/fails' => cycle($n, static fn () => eval('class Broken { abstract function f(); }')),
        default => print 'front page',
    };
}

/** Of the query; '' where it has none. */
function string(string $name): string
{
    return is_string($_GET[$name] ?? null) ? $_GET[$name] : '';
}

/** Of the query; 0 where it has none. */
function number(string $name): int
{
    return is_string($_GET[$name] ?? null) ? (int) $_GET[$name] : 0;
}

/** To the file that --ini=pool.told=FILE names. */
function tell(string $what): string
{
    file_put_contents(setting('told'), "$what\n", FILE_APPEND);

    return $what;
}

/** What --ini=pool.NAME=VALUE says: no directive of PHP's. */
function setting(string $name): string
{
    $value = get_cfg_var("pool.$name");

    return is_string($value) ? $value : '';
}

/** Tells the file of the query how it begins and ends. */
function tells(int $ms): void
{
    $file = is_string($_GET['file'] ?? null) ? $_GET['file'] : '';
    $tell = static fn (string $what): int|false => file_put_contents($file, number('number') . " $what\n", FILE_APPEND);
    $tell('begins');
    try {
        match ($_GET['how'] ?? '') {
            'compute' => compute($ms),
            'block' => block($ms),
            'computes' => computeAtDoor(string('at')),
            'sticks' => stickAtCork(string('at')),
            'door' => waitAtDoor(string('at')),
            default => waitFor($ms),
        };
        $tell('ends');
    } finally {
        $tell('finally');
    }
}

/** What the pool counts when the test has opened the door of the query, if it names one, and ms have passed. */
function told(int $ms): string
{
    waitAtDoor(string('at'));
    waitFor($ms);

    return (string) json_encode(\Howdah\status());
}

function waitFor(int $ms): string
{
    usleep($ms * 1000);

    return 'waited';
}

/** So often, each for longer than the one before: 1 ms, and for the last one 30 ms. */
function nap(int $times): void
{
    for ($i = 1; $i <= $times; $i++) {
        usleep($i === $times ? 30_000 : 1_000 + $i);
    }
}

/** Tells that it is here, and waits until there is a file of that name with ".open"; answers with its process. */
function gate(): string
{
    $process = tell((string) getmypid());
    do {
        usleep(1000);
        clearstatcache();
    } while (!is_file(setting('told') . '.open'));

    return $process;
}

/** @param callable(string): void $what until the test opens the door of the query */
function atDoor(callable $what): string
{
    $what(string('at'));

    return 'opened';
}

/** The text of the query; waits for ms before. */
function echoText(): string
{
    $ms = number('ms');
    if ($ms > 0) {
        usleep($ms * 1000);
    }

    return is_string($_GET['text'] ?? null) ? $_GET['text'] : '';
}

/** One call of C: no other realm runs, and nginx hears of nobody. */
function block(int $ms): string
{
    /** @var float $msOfThousand */
    static $msOfThousand = 0.0;
    if ($msOfThousand === 0.0) {
        $start = microtime(true);
        hash_pbkdf2('sha256', 'password', 'salt', 10_000);
        $msOfThousand = (microtime(true) - $start) * 100;
    }
    hash_pbkdf2('sha256', 'password', 'salt', max(1, (int) ($ms / $msOfThousand * 1000)));

    return 'blocked';
}

/** One call of C of so many rounds. */
function digest(int $rounds): string
{
    return hash_pbkdf2('sha256', 'password', 'salt', max(1, $rounds));
}

/** Opens the pipe of the query after so many naps, and says so before: it has nobody at its other end, and the engine asks again and again. */
function lateOpen(int $naps): string
{
    for ($i = 0; $i < $naps; $i++) {
        usleep(20_000);
    }
    touch(string('file') . ' is next');

    return fopen(string('file'), 'w') === false ? 'not opened' : 'opened';
}

/** Locks the file of the query, and has it until the test opens the door of the query. */
function lock(): string
{
    $file = fopen(string('file'), 'c');
    if ($file === false || !flock($file, LOCK_EX)) {
        return 'no lock';
    }
    if (string('how') === 'keeps') {
        static $kept;
        $kept = $file;

        return 'kept';
    }

    return atDoor(string('how') === 'computes' ? computeAtDoor(...) : waitAtDoor(...));
}

/** The same by fcntl(F_SETLKW), in a library, which leaves the file locked where the query says so. */
function record(): string
{
    $library = \FFI::cdef('
        typedef struct DEPOT DEPOT;
        DEPOT *dpopen(const char *name, int mode, int buckets);
        int dpclose(DEPOT *depot);
    ', 'libqdbm.so.14');
    $depot = $library->dpopen(string('file'), 2 | 4, -1); // @phpstan-ignore method.notFound (as in door.php)
    if ($depot === null) {
        return 'no lock';
    }
    if (string('how') !== 'leaves') {
        // Also where the request is ended: the library's descriptor is not PHP's.
        register_shutdown_function(static function () use ($library, $depot): void {
            $library->dpclose($depot); // @phpstan-ignore method.notFound (as in door.php)
        });
    }

    return atDoor(string('how') === 'computes' ? computeAtDoor(...) : waitAtDoor(...));
}

/** Asks whom the query names, so often, and answers with the last answer. */
function ask(int $times): string
{
    $peer = stream_socket_client(string('peer'));
    for ($answer = ''; $peer !== false && $times > 0; $times--) {
        fwrite($peer, 'asked');
        $answer = (string) fread($peer, 100);
    }

    return $answer;
}

/** So many milliseconds of processor time, in PHP code. */
function compute(int $ms): string
{
    $start = processorMs();
    while (processorMs() < $start + $ms) {
        for ($i = 0; $i < 10_000; $i++) {
        }
    }

    return 'computed';
}

function processorMs(): float
{
    /** @var array<string, int> $usage */
    $usage = getrusage();

    return $usage['ru_utime.tv_sec'] * 1e3 + $usage['ru_utime.tv_usec'] / 1e3;
}

/** Has 20 MB, made of a number, until the test opens the door of the query; answers with the number and their checksum. */
function keep(int $number): string
{
    $text = str_repeat("$number,", intdiv(20 << 20, strlen("$number,")));
    waitAtDoor(string('at'));

    return "$number " . crc32($text);
}

/** Keeps so many megabytes for as long as the realm lives; waits for ms, or at the door of the query. */
function hold(int $megabytes): void
{
    /** @var list<string> $held */
    static $held = [];
    for ($i = 0; $i < $megabytes; $i++) {
        $held[] = str_repeat('x', 1 << 20);
    }
    usleep(number('ms') * 1000);
    waitAtDoor(string('at'));
    print count($held);
}

/** A destructor waits at a door. */
function waits(int $kilobytes, string $at): void
{
    cycle($kilobytes, static function () use ($at): void {
        waitAtDoor($at);
        if (setting('told') !== '') {
            tell('a destructor has waited');
        }
    });
}

/** Leaves so many kilobytes to be found by PHP's collector, and no other way. */
function cycle(int $kilobytes, callable $end): void
{
    $node = new Node(str_repeat('x', $kilobytes << 10), $end(...));
    $node->self = $node;
    print 'left';
}
