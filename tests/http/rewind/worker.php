<?php

/**
 * An application of which each request leaves something behind, and tells first what it has found of all of it.
 */

declare(strict_types=1);

namespace Howdah\HttpTests\Rewind;

use Fiber;
use stdClass;

use function Howdah\HttpTests\waitAtDoor;

require_once dirname(__DIR__) . '/door.php';

final class Application
{
    /** @var list<mixed> */
    public static array $kept = [];

    public static ?int $clockStandsAt = null;

    /** @var list<callable(): mixed> */
    public array $listeners = [];

    public string $name = 'application';
}

final readonly class Late
{
    public function __construct(private string $door)
    {
    }

    public function __destruct()
    {
        waitAtDoor($this->door);
    }
}

/** @return array<string, mixed> */
function found(Application $app): array
{
    return [
        'kept' => count(Application::$kept),
        'clock' => Application::$clockStandsAt,
        'listeners' => count($app->listeners),
        'name' => $app->name,
        'locale' => setlocale(LC_ALL, '0'),
        'zone' => date_default_timezone_get(),
        'precision' => ini_get('precision'),
        'limit' => ini_get('memory_limit'),
        'reporting' => error_reporting(),
        'umask' => umask(),
        'autoloaders' => count(spl_autoload_functions()),
        'classes' => count(get_declared_classes()),
        'constants' => defined('LEFT'),
        'global' => isset($GLOBALS['left']),
        'buffers' => ob_get_level(),
        'session' => session_status(),
        'resources' => count(get_resources()),
        'megabytes' => memory_get_usage() >> 20,
        'object' => spl_object_id(new stdClass()),
    ];
}

function leave(Application $app): void
{
    Application::$kept[] = str_repeat('x', 1 << 20);
    Application::$kept[] = fopen(__FILE__, 'r');
    Application::$clockStandsAt = 42;
    $app->listeners[] = static fn () => $app;
    $app->name .= '!';
    setlocale(LC_ALL, 'C.UTF-8', 'C.utf8');
    date_default_timezone_set('Asia/Tokyo');
    ini_set('precision', '5');
    ini_set('memory_limit', '900M');
    error_reporting(0);
    umask(0o77);
    spl_autoload_register(static fn () => null);
    class_exists('Later', false) || eval('final class Later {}');
    defined('LEFT') || define('LEFT', new stdClass());
    $GLOBALS['left'] = static fn () => $app;
    $cycle = new stdClass();
    $cycle->self = $cycle;
    ob_start();
    session_id('left' . bin2hex(random_bytes(8)));
    session_start();
}

function recurse(int $depth): int
{
    return array_map(recurse(...), [$depth + 1])[0];
}

function suspend(): void
{
    $fiber = new Fiber(static function (): void {
        try {
            Fiber::suspend();
        } finally {
            error_log('the fiber ends');
        }
    });
    $fiber->start();
    Application::$kept[] = $fiber;
}

function act(Application $app): void
{
    $at = is_string($_GET['at'] ?? null) ? $_GET['at'] : '';
    $answer = match (parse_url(is_string($_SERVER['REQUEST_URI'] ?? null) ? $_SERVER['REQUEST_URI'] : '', PHP_URL_PATH)) {
        '/status' => json_encode(\Howdah\status()),
        '/number' => implode(' ', [mt_rand() . mt_rand(), bin2hex(random_bytes(8)), uniqid('', true), session_create_id()]),
        '/count' => countInSession(),
        default => json_encode(found($app)),
    };
    leave($app);
    print $answer;
    waitAtDoor($at);
    match ($_GET['then'] ?? '') {
        'exit' => exit(3),
        'throw' => throw new \RuntimeException('left'),
        'fatal' => eval('class Broken { abstract function f(); }'),
        'recursion' => recurse(0),
        'nesting' => nest(),
        'memory' => Application::$kept[] = str_repeat('x', 200 << 20),
        'fiber' => suspend(),
        'folder' => chdir('/'),
        'late' => Application::$kept[] = new Late(is_string($_GET['door'] ?? null) ? $_GET['door'] : ''),
        default => null,
    };
}

/** What is freed, or compared, is nested deep: C code recurses. */
function nest(): void
{
    $nested = [];
    for ($i = 0; $i < 100_000; $i++) {
        $nested = [$nested];
    }
    Application::$kept[] = $nested == [[]];
}

/** A session that the client has, as anywhere. */
function countInSession(): int
{
    session_start();
    $_SESSION['n'] = (is_int($_SESSION['n'] ?? null) ? $_SESSION['n'] : 0) + 1;
    session_write_close();

    return $_SESSION['n'];
}

umask(0o22);
$app = new Application();
// More than one chunk of PHP's heap, and less than what is one block of its own.
$text = array_map(static fn (int $i): string => str_repeat(chr(97 + $i % 26), 1000), range(1, 3000));
$kept = get_cfg_var('rewind.keeps') ? fopen(__FILE__, 'r') : null;

while (frankenphp_handle_request(static fn () => act($app))) {
}
