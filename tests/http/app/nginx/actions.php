<?php

declare(strict_types=1);

namespace Howdah\HttpTests\Nginx;

use function Howdah\HttpTests\waitAtDoor;

require_once dirname(__DIR__, 2) . '/door.php';
require_once __DIR__ . '/functions.php';

/** What the application asks of nginx: the path names the action. */
function act(): void
{
    $path = (string) parse_url(text($_SERVER['REQUEST_URI'] ?? ''), PHP_URL_PATH);
    match ($path) {
        '/' => print 'front page',
        '/hints' => hint(),
        '/headers-send' => sendHeaders(),
        '/accel' => query('done') === '' ? handOver() : print 'after it',
        '/trailer' => trail(),
        '/trailer-names' => trailNames(),
        '/astray' => goAstray(query('door')),
        '/work' => work((int) query('ms'), (int) query('mb')),
        '/digest' => print timed(static fn () => hash_pbkdf2('sha256', 'password', 'salt', 200_000)),
        '/count' => print timed(count_(...)),
        '/late' => sayLate((float) query('seconds'), query('zone')),
        '/filtered-late' => filterLate((float) query('seconds')),
        '/complain' => complain(),
        '/forge' => error_log(query('text')) && print 'logged',
        '/stderr', '/stdout' => writeLines((int) query('request'), "php:/$path"),
        '/made' => made(),
        '/functions' => print json_encode(given(explode(',', query('missing')))),
        '/sleep' => usleep((int) query('ms') * 1000),
        '/settings' => print json_encode(array_map(ini_get(...), explode(',', query('names')))),
        '/getenv' => print json_encode([getenv(query('name')), $_SERVER[query('name')] ?? null]),
        '/preloaded', '/preloaded-in-worker' => print json_encode([\Preloaded::count(), \preloaded_count(), \Preloaded::NAMES]),
        '/upload' => upload(),
        '/progress' => progress(),
        '/input' => input((int) query('first')),
        '/body' => body(),
        '/pieces' => pieces(),
        '/at-last' => atLast(),
        '/after' => after(),
        '/unread' => print 'not read',
        '/transaction' => transact(),
        '/count-in-database' => countInDatabase(),
        '/read-database' => readDatabase(),
        default => http_response_code(404),
    };
}

function text(mixed $value): string
{
    return is_scalar($value) ? (string) $value : '';
}

function query(string $name, string $default = ''): string
{
    return text($_GET[$name] ?? $default);
}

/** Until the test has made the file: that it can, the client must have got what was sent so far. */
function awaitFile(string $file): void
{
    for ($tries = 0; $tries < 12_000 && $file !== '' && !file_exists($file); ++$tries) {
        usleep(10_000);
    }
}

/** Changes all that a process has once, and goes on when the test says so. */
function goAstray(string $door): void
{
    putenv('TZ=ASTRAY-11:37');
    setlocale(LC_ALL, 'C.UTF-8');
    umask(0o123);
    chdir('/usr');
    waitAtDoor($door);
    echo date('H') === '' ? '' : umask(), ' ', getcwd();
    umask(0o022);
}

function send(): void
{
    while (ob_get_level() > 0) {
        ob_end_flush();
    }
    flush();
}

function hint(): void
{
    header('Content-Type: text/plain');
    header('Link: </style.css>; rel=preload; as=style');
    header('Content-Length: 4');
    $results = [headers_send(103)];
    header('Link: </script.js>; rel=preload; as=script', false);
    $results[] = headers_send(103);
    awaitFile(query('file'));
    echo implode(',', $results), "\n";
    send();
    if (headers_send(103) === 1) {
        echo 'too late, and sent';
    }
}

/** A page that is never the same twice, with the headers that the query names; what it knows of its visitor. */
function made(): void
{
    array_map(header(...), array_filter((array) ($_GET['headers'] ?? []), is_string(...)));
    http_response_code((int) (query('status') ?: 200));
    $names = ['REMOTE_ADDR', 'HTTPS', 'HTTP_HOST', 'HTTP_X_FORWARDED_HOST', 'HTTP_ACCEPT_ENCODING'];
    $known = array_map(static fn (string $name): string => "$name=" . text($_SERVER[$name] ?? ''), $names);
    print bin2hex(random_bytes(8)) . ' ' . implode(' ', $known) . str_repeat(' ', 2000);
}

function sendHeaders(): void
{
    $wrong = 0;
    foreach ([99, 101, 600] as $status) {
        try {
            headers_send($status);
        } catch (\ValueError) {
            ++$wrong;
        }
    }
    header("X-Wrong: $wrong");
    $first = headers_send(202);
    echo json_encode([$first, headers_send(500), headers_sent()]);
}

function handOver(): void
{
    $headers = ['To' => 'Redirect', 'Rate' => 'Limit-Rate', 'Charset' => 'Charset', 'Buffering' => 'Buffering'];
    foreach ($headers as $name => $header) {
        if (query($name) !== '') {
            header("X-Accel-$header: " . query($name));
        }
    }
    header('X-Accel-Expires: 60');
    header('X-Accel-Unknown: kept');
    header('X-Own: kept');
    header('Cache-Control: private, max-age=5');
    header('Content-Disposition: attachment; filename="named"');
    header('Content-Type: ' . query('type', 'text/html'));
    setcookie('from', 'PHP');
    http_response_code(203);
    echo str_repeat('of PHP ', 20000);
    send();
}

function trail(): void
{
    if (query('announce') !== '') {
        header('Trailer: X-Sum');
    }
    if (query('flush') !== '') {
        echo 'first ';
        send();
    }
    echo 'last';
    $sent = \Howdah\trailer('X-Sum', sha1('last'));
    error_log('trailer: ' . json_encode($sent));
}

/** Which of the names are refused; the others are sent. */
function trailNames(): void
{
    $refused = [];
    foreach (explode(',', query('names')) as $name) {
        try {
            \Howdah\trailer($name, '5');
        } catch (\ValueError) {
            $refused[] = $name;
        }
    }
    echo implode(',', $refused);
}

/** Lines of JSON of many lengths, in parts of many lengths, while other requests do the same. */
function writeLines(int $request, string $to): void
{
    $stream = fopen($to, 'w');
    assert($stream !== false);
    for ($number = 0; $number < 10; ++$number) {
        $text = str_repeat("\u{e4} \x7f ", 100 * $number + ($number === 9 ? 5000 : 0));
        $line = json_encode(['request' => $request, 'number' => $number, 'sum' => md5($text), 'text' => $text]) . "\n";
        foreach (str_split($line, 700 * $number + 1000) as $part) {
            fwrite($stream, $part);
            usleep(100);
        }
    }
    fwrite($stream, "\none $request\r\nunfinished $request");
    echo flock($stream, LOCK_EX) && is_array(fstat($stream)) ? 'written' : 'not as another stream';
}

/** So much CPU time, so much memory, and as long a wait. */
function work(int $ms, int $mb): void
{
    $text = str_repeat('x', $mb << 20);
    $cpu = static function (): float {
        $used = (array) getrusage();

        $seconds = $used['ru_utime.tv_sec'] + $used['ru_stime.tv_sec'];

        return $seconds + ($used['ru_utime.tv_usec'] + $used['ru_stime.tv_usec']) / 1e6;
    };
    for ($end = $cpu() + $ms / 1000; $cpu() < $end;) {
    }
    usleep($ms * 1000);
    echo strlen($text);
}

function complain(): void
{
    ini_set('log_errors', '1');
    if (query('log') !== '') {
        ini_set('error_log', query('log'));
    }
    error_reporting(E_ALL);
    trigger_error('a warning', E_USER_WARNING);
    trigger_error('a notice', E_USER_NOTICE);
    error_log('said');
    $stderr = fopen('php://stderr', 'w');
    assert($stderr !== false);
    fwrite($stderr, "one line\nand ");
    fwrite($stderr, "another\n");
    fwrite($stderr, 'the rest');
    fclose($stderr);
    throw new \RuntimeException('thrown');
}

function upload(): void
{
    $file = $_FILES['file'] ?? null;
    assert(is_array($file) && is_string($file['tmp_name']));
    file_put_contents(query('done'), 'ran');
    echo json_encode([$file['error'], $file['size'], sha1((string) file_get_contents($file['tmp_name']))]);
}

function progress(): void
{
    session_id(query('session'));
    session_start(['read_and_close' => true]);
    echo json_encode($_SESSION['upload_progress_test'] ?? null);
}

/** Tells by a file when it has the first bytes. */
function input(int $first): void
{
    $input = fopen('php://input', 'r');
    assert($input !== false);
    $text = '';
    while (strlen($text) < $first && !feof($input)) {
        $text .= fread($input, $first - strlen($text));
    }
    file_put_contents(query('got'), $text);
    $text .= stream_get_contents($input);
    file_put_contents(query('done'), 'ran');
    echo json_encode([strlen($text), sha1($text)]);
}

function described(string $body): string
{
    return text($_SERVER['REQUEST_METHOD'] ?? '') . ' ' . strlen($body) . ' ' . sha1($body);
}

function body(): void
{
    $told = described((string) file_get_contents('php://input'));
    if (query('file') !== '') {
        file_put_contents(query('file'), $told);
    }
    echo $told;
}

/** Reads a little of the body, sends a little, and so on; what it sends is white space, and at last what it read. */
function pieces(): void
{
    if (query('To') !== '') {
        header('X-Accel-Redirect: ' . query('To'));
    }
    $input = fopen('php://input', 'r');
    assert($input !== false);
    stream_set_chunk_size($input, 1000);
    for ($body = ''; !feof($input); $body .= fread($input, 1000)) {
        echo "\n";
        if (query('late') === '') {
            send();
        }
    }
    usleep((int) query('late') * 2_000_000);
    echo described($body);
}

/** Reads a body when the test says so; what is announced, and what came. */
function atLast(): void
{
    $length = text($_SERVER['CONTENT_LENGTH'] ?? 'none');
    register_shutdown_function(static fn () => usleep((int) query('ends') * 1000));
    file_put_contents(query('began'), 'yes');
    awaitFile(query('go'));
    $body = (string) file_get_contents('php://input');
    file_put_contents(query('done'), 'ran');
    if (query('To') !== '') {
        header('X-Accel-Redirect: ' . query('To'));
    }
    usleep((int) query('late') * 5_000_000);
    echo "announced: $length, read: " . strlen($body);
}

/** What is done when the client has its answer, or has gone, and must not be left half done. */
function after(): void
{
    file_put_contents(query('after') . '.begun', 'yes');
    awaitFile(query('gone'));
    usleep(50_000); // nginx hears of what came before
    echo str_repeat('for nobody', 10_000);
    send();
    file_put_contents(query('after'), 'done');
}

function database(): \PDO
{
    return new \PDO('sqlite:' . query('database'), options: [\PDO::ATTR_TIMEOUT => 120]);
}

/** A transaction that is open until the test says so. */
function transact(): void
{
    $database = database();
    $database->exec('begin immediate; update t set n = n + 1');
    file_put_contents(query('begun'), 'yes');
    awaitFile(query('done'));
    $database->exec('commit');
    echo 'committed';
}

function countInDatabase(): void
{
    $database = database();
    for ($round = 0; $round < 5; ++$round) {
        $database->exec('begin immediate');
        $row = $database->query('select n from t');
        assert($row !== false);
        $number = (int) text($row->fetchColumn());
        $row->closeCursor(); // else it keeps its lock beyond the transaction
        usleep(2000);
        $database->exec('update t set n = ' . ($number + 1));
        $database->exec('commit');
    }
    echo 'counted';
}

/** As a backup would, while others are in their transactions. */
function readDatabase(): void
{
    for ($round = 0; $round < 200; ++$round) {
        md5_file(query('database'));
        usleep(1000);
    }
    echo 'read';
}

/** In seconds. */
function timed(callable $what): float
{
    $start = hrtime(true);
    $what();

    return (hrtime(true) - $start) / 1e9;
}

function count_(): void
{
    for ($i = 0; $i < 3_000_000; ++$i) {
    }
}

/** Computes, then logs what time it is. */
function sayLate(float $seconds, string $zone): void
{
    if ($zone !== '') {
        putenv("TZ=$zone");
    }
    compute($seconds);
    error_log('late ' . time());
    echo 'said';
}

/** Computes, then sends what nginx's filter of server-side includes does not understand, and what time it is. */
function filterLate(float $seconds): void
{
    compute($seconds);
    echo '<!--#nothing --> ', time();
    while (ob_get_level() > 0) {
        ob_end_flush();
    }
    flush();
}

function compute(float $seconds): void
{
    for ($end = hrtime(true) + $seconds * 1e9; hrtime(true) < $end;) {
    }
}
