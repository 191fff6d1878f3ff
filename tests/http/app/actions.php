<?php

declare(strict_types=1);

namespace Howdah\HttpTests\App;

use RuntimeException;

use function Howdah\HttpTests\waitAtDoor;

require_once dirname(__DIR__) . '/door.php';

/** What the application does with a request: the path names the action. */
function act(): void
{
    $path = (string) parse_url(text($_SERVER['REQUEST_URI'] ?? ''), PHP_URL_PATH);
    match ($path) {
        '/' => print 'front page',
        '/echo' => echoRequest(),
        '/headers' => headers(),
        '/nothing' => http_response_code(204),
        '/not-modified' => notModified(),
        '/reason' => header('HTTP/1.1 404 Gone Fishing'),
        '/cgi-status' => header('Status: 410 Eaten'),
        '/redirect' => header('Location: /elsewhere?a=1'),
        '/sleep' => sleepFor(query('ms')),
        '/door' => atDoor(query('at', '')),
        '/finish' => finishEarly(),
        '/output' => output(query('bytes')),
        '/flush' => flushTwice(),
        '/exit' => leave(),
        '/endless' => endless(query('how', 'sleep')),
        '/exception' => throw new RuntimeException('thrown on purpose'),
        '/undefined' => call_user_func(static fn () => \no_such_function()),
        '/fatal' => eval('class Broken { abstract function f(); }'),
        '/late-exception' => failAfterOutput(),
        '/memory' => exhaustMemory(),
        '/recursion' => recurse(0),
        '/c-recursion' => recurseThroughC([1]),
        '/log' => error_log('logged on purpose'),
        '/process' => print getmypid(),
        '/input' => print sha1((string) file_get_contents('php://input')),
        '/environment' => print json_encode(getenv(query('name', ''))),
        '/environment-array' => print json_encode([$_ENV['FROM_NGINX'] ?? null, $_ENV['REQUEST_METHOD'] ?? null]),
        '/setting' => print json_encode(ini_get(query('name', ''))),
        '/functions' => print json_encode(callFunctions()),
        '/browser' => print json_encode(browserBeforeAndAfterOthers()),
        '/count' => print count_(),
        '/cookie-count' => countInSession(),
        '/nameless-headers' => namelessHeaders(),
        '/background' => print json_encode(inheritedByChildren()),
        '/children' => print json_encode(childrenStatuses()),
        default => notFound($path),
    };
}

/** For a minute at most. */
function awaitFile(string $path): void
{
    for ($look = 0; $look < 60_000 && !file_exists($path); ++$look) {
        usleep(1000);
        clearstatcache();
    }
}

/** Ends only when it is made to. Its shutdown function tells `file` why, after a wait of its own. */
function endless(string $how): void
{
    $told = query('file', '');
    if ($told !== '') {
        $guard = new class ($told) {
            public function __construct(private string $file)
            {
            }

            public function __destruct()
            {
                file_put_contents($this->file, 'destroyed ', FILE_APPEND);
            }
        };
        register_shutdown_function(static function () use ($told, $how): void {
            usleep(10_000);
            file_put_contents($told, 'status ' . connection_status(), FILE_APPEND);
            while ($how === 'stubborn') {
                usleep(50_000);
            }
        });
    }
    ignore_user_abort($how === 'ignore');
    if ($how === 'half') {
        echo 'half';
        ob_flush();
        flush();
    }
    if ($how === 'gathered') {
        setcookie('from', 'PHP');
        echo str_repeat('x', 5000);
    }
    if ($told !== '') {
        file_put_contents("$told.begun", 'begun');
    }
    if ($how === 'library') {
        connectToNobody();
    }
    try {
        match ($how) {
            'spin' => spin(),
            'socket' => readNothing(),
            'ignore' => awaitFile("$told.left"),
            default => sleep(20),
        };
    } finally {
        if ($how !== 'ignore') {
            file_put_contents($told, 'went on ', FILE_APPEND);
        }
    }
    if ($how === 'ignore') {
        file_put_contents($told, 'whole ', FILE_APPEND);
    }
}

function readNothing(): void
{
    $pair = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0);
    assert($pair !== false);
    fread($pair[0], 1);
}

/** A library throws when its wait ends, and nothing here would catch it. */
function connectToNobody(): void
{
    $silent = stream_socket_server('tcp://127.0.0.1:0');
    assert($silent !== false);
    $port = parse_url('tcp://' . stream_socket_get_name($silent, false), PHP_URL_PORT);
    new \PDO("pgsql:host=127.0.0.1;port=$port;sslmode=disable;gssencmode=disable");
}

function spin(): never
{
    for ($i = 0; true; ++$i) {
    }
}

function text(mixed $value): string
{
    return is_scalar($value) ? (string) $value : '';
}

/** @return list<mixed> what two functions return, or the errors instead; whether one exists; what is disabled */
function callFunctions(): array
{
    $results = [];
    foreach ([static fn (): string => \md5(''), static fn (): string => \strrev('abc')] as $call) {
        try {
            $results[] = $call();
        } catch (\Error $error) {
            $results[] = $error->getMessage();
        }
    }

    return [...$results, \function_exists('md5'), \ini_get('disable_functions')];
}

function query(string $name, string $default = '0'): string
{
    return text($_GET[$name] ?? $default);
}

function echoRequest(): void
{
    $files = [];
    foreach ($_FILES as $name => $file) {
        if (is_array($file) && is_string($file['tmp_name'])) {
            $files[$name] = [
                'name' => $file['name'],
                'type' => $file['type'],
                'size' => $file['size'],
                'error' => $file['error'],
                'sha1' => is_uploaded_file($file['tmp_name']) ? sha1_file($file['tmp_name']) : null,
            ];
        }
    }
    header('Content-Type: application/json');
    echo json_encode([
        'get' => $_GET,
        'post' => $_POST,
        'cookie' => $_COOKIE,
        'request' => $_REQUEST,
        'files' => $files,
        'server' => array_filter($_SERVER, is_string(...)),
        'pwuser' => $_SERVER['PHP_AUTH_USER'] ?? null,
    ], JSON_THROW_ON_ERROR);
}

function headers(): void
{
    http_response_code(418);
    header('X-One: first');
    header('X-One: second', false);
    header('X-Gone: never');
    header_remove('X-Gone');
    header('Content-Type: text/plain; charset=iso-8859-1');
    setcookie('a', '1', ['path' => '/', 'httponly' => true]);
    setcookie('b', 'x y');
    echo 'short and stout';
}

function sleepFor(string $milliseconds): void
{
    usleep((int) $milliseconds * 1000);
    echo query('id');
}

/** Answers with the id of the query when the test opens its door. */
function atDoor(string $path): void
{
    waitAtDoor($path);
    echo query('id');
}

function finishEarly(): void
{
    output(query('bytes', '0'));
    echo 'early';
    fastcgi_finish_request();
    waitAtDoor(query('at', ''));
    $told = \Howdah\request_variables('REMOTE_ADDR', 'SERVER_ADDR', 'SERVER_PORT');
    file_put_contents(query('file') . '.new', 'late ' . json_encode($told));
    rename(query('file') . '.new', query('file'));
}

function output(string $bytes): void
{
    for ($left = (int) $bytes; $left > 0; $left -= 8192) {
        echo str_repeat('x', min(8192, $left));
    }
}

function flushTwice(): void
{
    echo 'first';
    while (ob_get_level() > 0) {
        ob_end_flush();
    }
    flush();
    waitAtDoor(query('at', ''));
    echo 'second';
}

function leave(): never
{
    echo 'before exit';
    exit;
}

function failAfterOutput(): never
{
    echo 'half';
    flush();
    throw new RuntimeException('thrown late');
}

function exhaustMemory(): void
{
    $hog = [];
    while (true) {
        $hog[] = str_repeat('x', 1_000_000) . count($hog);
    }
}

/** Ends at memory_limit: a call frame of PHP code lives on the realm's heap. */
function recurse(int $depth): int
{
    return recurse($depth + 1) + 1;
}

/**
 * Ends when the C stack does: each call adds a frame to it.
 *
 * @param list<int> $list
 */
function recurseThroughC(array $list): int
{
    return array_sum(array_map(static fn (int $one): int => recurseThroughC($list), $list));
}

/** @return list<string|false> what get_browser() finds, with a wait that lets the others in before and in between */
function browserBeforeAndAfterOthers(): array
{
    $found = [];
    for ($time = 0; $time < 2; ++$time) {
        usleep(20_000);
        $browser = @get_browser('any', true);
        $found[] = is_array($browser) ? (string) $browser['browser'] : false;
    }

    return $found;
}

function count_(): int
{
    static $count = 0;

    return ++$count;
}

function notModified(): void
{
    http_response_code(304);
    header('Content-Type: image/png');
    header('ETag: "1"');
}

function countInSession(): void
{
    session_start();
    $count = is_int($_SESSION['count'] ?? null) ? $_SESSION['count'] : 0;
    $_SESSION['count'] = ++$count;
    session_write_close();
    echo $count;
}

function namelessHeaders(): void
{
    header(': no name');
    header('no name: at all');
    header('Invalid');
    header('Content-Length');
    header("X-Tab\tB: c");
    header('X-Before : colon');
    header("X-\xc3\xa4: b");
    headers_send(103);
    header('X-Kept: kept');
    echo 'still here';
}

/** @return list<int> the exit statuses of children that have ended before anybody asks */
function childrenStatuses(): array
{
    $process = proc_open(['sh', '-c', 'exit 7'], [], $pipes);
    $pipe = popen('exit 6', 'r');
    usleep(100_000);

    return [$process === false ? -2 : proc_close($process), $pipe === false ? -2 : pclose($pipe)];
}

/** @return array<string, string> what programs that are started in three ways have open beside the standard three, and their list itself */
function inheritedByChildren(): array
{
    // Of the shell itself: a program that it has just started may have a library open that is being loaded.
    $list = 'exec 2> /dev/null; for fd in /proc/$$/fd/*; do readlink $fd; done | grep -v ^/dev/null$';
    $process = proc_open(['sh', '-c', $list], [1 => ['pipe', 'w']], $pipes);
    $pipe = popen($list, 'r');
    $texts = [
        'exec' => (string) shell_exec($list),
        'proc_open' => (string) stream_get_contents($pipes[1]),
        'popen' => $pipe === false ? '' : (string) stream_get_contents($pipe),
    ];

    $wrong = static fn (string $text): array => preg_grep('/socket|anon|^\//', explode("\n", $text)) ?: [];

    return array_map(static fn (string $text): string => implode(' ', $wrong($text)), $texts);
}

function notFound(string $path): void
{
    http_response_code(404);
    echo "front controller: nothing at $path";
}
