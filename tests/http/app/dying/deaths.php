<?php

/** Ways to die. Each is named in DeathTest. */

declare(strict_types=1);

namespace Howdah\HttpTests\Dying;

use Closure;
use Fiber;
use JsonSerializable;
use ReflectionFunction;
use RuntimeException;
use SessionHandler;

/** Calls back when it is destroyed. */
final class Destroyed
{
    public function __construct(private Closure $call)
    {
    }

    public function __destruct()
    {
        ($this->call)();
    }
}

function hog(): string
{
    $hog = [];
    while (true) {
        $hog[] = str_repeat('x', 1_000_000) . count($hog);
    }
}

/** A fatal error that nothing can catch: PHP bails out. */
function bail_out(): void
{
    eval('class Broken { abstract function f(); }');
}

/** Ends the script, so that what is in globals is destroyed at the end of the request, in worker mode too. */
function at_the_end(Closure $call): never
{
    $GLOBALS['destroyed'] = new Destroyed($call);
    echo 'body';
    exit;
}

// ---- memory_limit ----

function memory(): void
{
    echo 'body';
    hog();
}

function memory_in_destructor(): void
{
    $destroyed = new Destroyed(hog(...));
    unset($destroyed);
}

function memory_in_destructor_at_the_end(): void
{
    at_the_end(hog(...));
}

function memory_in_output_callback(): void
{
    ob_start(hog(...));
    echo 'body';
    ob_end_flush();
}

function memory_in_output_callback_at_the_end(): void
{
    ob_start(hog(...));
    echo 'body';
}

function memory_in_shutdown_function(): void
{
    register_shutdown_function(hog(...));
    echo 'body';
}

function memory_in_c_code(): void
{
    str_repeat('x', 100_000_000);
}

// ---- memory_limit, in one allocation that cannot fail: PHP itself would end its process ----

/** Most of the limit of 32 MB. */
function most(): string
{
    return str_repeat("'", 25_000_000);
}

function at_once(): string
{
    return bin2hex(most());
}

function at_once_in_fgets(): void
{
    fgets(fopen('/dev/null', 'r'), 1 << 30);
}

function at_once_in_random_bytes(): void
{
    random_bytes(1 << 30);
}

function at_once_in_addslashes(): void
{
    addslashes(most());
}

function at_once_in_serialize(): void
{
    $most = most();
    serialize([$most, $most, $most]);
}

function at_once_in_sprintf(): void
{
    $most = most();
    sprintf('%s%s%s', $most, $most, $most);
}

function at_once_in_concatenation(): void
{
    $most = most();
    echo strlen($most . $most . $most);
}

function at_once_in_output_buffer(): void
{
    $most = most();
    ob_start();
    echo $most, $most, $most;
}

function at_once_in_compilation(): void
{
    eval('return [' . str_repeat('1+$a,', 1_000_000) . '];');
}

function at_once_in_destructor(): void
{
    $destroyed = new Destroyed(at_once(...));
    unset($destroyed);
}

function at_once_in_destructor_at_the_end(): void
{
    at_the_end(at_once(...));
}

function at_once_in_shutdown_function(): void
{
    register_shutdown_function(at_once(...));
}

function at_once_in_output_callback(): void
{
    ob_start(at_once(...));
    echo 'body';
    ob_end_flush();
}

function at_once_in_output_callback_at_the_end(): void
{
    ob_start(at_once(...));
    echo 'body';
}

function at_once_in_fiber(): void
{
    (new Fiber(at_once(...)))->start();
}

function at_once_in_generator(): void
{
    foreach ((static fn () => yield at_once())() as $never) {
        echo $never;
    }
}

function at_once_in_sort(): void
{
    $list = [2, 1];
    usort($list, static fn (): int => strlen(at_once()));
}

function at_once_in_session_write_handler(): void
{
    session_set_save_handler(new class extends SessionHandler {
        public function write(string $id, string $data): bool
        {
            return at_once() !== '';
        }
    });
    session_start();
    $_SESSION['x'] = 1;
    echo 'body';
}

// ---- Recursion ----

function recursion(): void
{
    recursion();
}

/** @param list<mixed> $list */
function through_array_map(array $list): void
{
    array_map(through_array_map(...), [$list]);
}

function recursion_in_array_map(): void
{
    through_array_map([]);
}

function recursion_in_usort(): void
{
    $list = [2, 1];
    usort($list, static function (): int {
        recursion_in_usort();

        return 0;
    });
}

function recursion_in_preg_replace_callback(): void
{
    preg_replace_callback('/x/', static function (): string {
        recursion_in_preg_replace_callback();

        return '';
    }, 'x');
}

function recursion_in_to_string(): void
{
    echo new class {
        public function __toString(): string
        {
            return "$this";
        }
    };
}

function recursion_in_output_callback(): void
{
    ob_start(static function (): string {
        through_array_map([]);

        return '';
    });
    echo 'body';
    ob_end_flush();
}

function recursion_in_shutdown_function(): void
{
    register_shutdown_function(recursion_in_array_map(...));
    echo 'body';
}

function recursion_in_destructor(): void
{
    $destroyed = new Destroyed(recursion_in_array_map(...));
    unset($destroyed);
}

final class Serialized implements JsonSerializable
{
    public function jsonSerialize(): mixed
    {
        return ['a' => new self()];
    }
}

function recursion_in_json_serializable(): void
{
    json_encode(new Serialized());
}

function recursion_in_json_serializable_at_the_end(): void
{
    register_shutdown_function(recursion_in_json_serializable(...));
    echo 'body';
}

function recursion_in_reflection(): void
{
    (new ReflectionFunction(recursion_in_reflection(...)))->invoke();
}

function recursion_in_reflection_at_the_end(): void
{
    register_shutdown_function(recursion_in_reflection(...));
    echo 'body';
}

function recursion_in_fiber(): void
{
    (new Fiber(recursion_in_array_map(...)))->start();
}

function recursion_in_fiber_in_fiber(): void
{
    (new Fiber(static fn () => (new Fiber(recursion_in_usort(...)))->start()))->start();
}

function recursion_of_php_code_in_fiber(): void
{
    (new Fiber(recursion(...)))->start();
}

function recursion_in_generator(): void
{
    $generate = static function () use (&$generate) {
        yield from $generate();
    };
    iterator_to_array($generate());
}

final class Node
{
    public ?Node $next = null;
}

/** More than the C stack has room for is used where C code recurses by itself. */
function nested_objects(): void
{
    $list = null;
    for ($i = 0; $i < 150_000; ++$i) {
        $next = new Node();
        $next->next = $list;
        $list = $next;
    }
    unset($next);
    $list = null;
    exit('freed');
}

function nested_objects_in_fiber(): void
{
    (new Fiber(nested_objects(...)))->start();
}

// ---- Errors where PHP code is called by others ----

function fatal_error_in_destructor(): void
{
    $destroyed = new Destroyed(bail_out(...));
    unset($destroyed);
}

function fatal_error_in_destructor_at_the_end(): void
{
    at_the_end(bail_out(...));
}

function fatal_error_in_error_handler(): void
{
    set_error_handler(static fn () => bail_out());
    echo $undefined;
}

function fatal_error_in_session_write_handler(): void
{
    session_set_save_handler(new class extends SessionHandler {
        public function write(string $id, string $data): bool
        {
            bail_out();

            return true;
        }
    });
    session_start();
    $_SESSION['x'] = 1;
    echo 'body';
}

function fatal_error_in_shutdown_function(): void
{
    register_shutdown_function(bail_out(...));
    echo 'body';
}

function fatal_error_in_output_callback(): void
{
    ob_start(static function (string $text): string {
        bail_out();

        return $text;
    });
    echo 'body';
    ob_end_flush();
}

function fatal_error_in_autoloader(): void
{
    spl_autoload_register(bail_out(...));
    class_exists('Missing');
}

function throw_it(): never
{
    throw new RuntimeException('thrown on purpose');
}

function exception_in_shutdown_function(): void
{
    register_shutdown_function(throw_it(...));
    echo 'body';
}

function exception_in_destructor_at_the_end(): void
{
    at_the_end(throw_it(...));
}

function exception_in_header_callback(): void
{
    header_register_callback(throw_it(...));
    echo 'body';
}

function exception_in_exception_handler(): void
{
    set_exception_handler(throw_it(...));
    throw_it();
}

// ---- exit ----

function leave(): never
{
    exit('left');
}

function exit_in_output_callback(): void
{
    ob_start(static function (string $text): string {
        exit;
    });
    echo 'body';
    ob_end_flush();
    echo 'after';
}

function exit_in_output_callback_at_the_end(): void
{
    ob_start(static function (string $text): string {
        exit;
    });
    echo 'body';
}

function exit_in_shutdown_function(): void
{
    register_shutdown_function(leave(...));
    register_shutdown_function(static fn () => print 'never');
    echo 'body ';
}

function exit_in_destructor(): void
{
    echo 'body ';
    $destroyed = new Destroyed(leave(...));
    unset($destroyed);
    echo 'after';
}

function exit_in_destructor_at_the_end(): void
{
    at_the_end(leave(...));
}

function exit_in_error_handler(): void
{
    set_error_handler(leave(...));
    echo $undefined;
    echo 'after';
}

function exit_in_generator(): void
{
    $generate = static function () {
        try {
            yield 1;
            leave();
        } finally {
            echo 'finally';
        }
    };
    foreach ($generate() as $ignored) {
        echo 'body ';
    }
}

function exit_beside_a_suspended_generator(): void
{
    $generator = (static function () {
        try {
            yield 1;
        } finally {
            echo ' finally';
        }
    })();
    $generator->current();
    $GLOBALS['generator'] = $generator;
    leave();
}

function exit_in_fiber(): void
{
    (new Fiber(static function (): void {
        Fiber::suspend();
        leave();
    }))->start();
    $fiber = new Fiber(static function (): void {
        Fiber::suspend();
        leave();
    });
    $fiber->start();
    $fiber->resume();
    echo 'after';
}

function exit_beside_a_suspended_fiber(): void
{
    $fiber = new Fiber(static function (): void {
        try {
            usleep(1000);
            Fiber::suspend();
        } finally {
            usleep(1000);
            echo ' finally';
        }
    });
    $fiber->start();
    $GLOBALS['fiber'] = $fiber;
    leave();
}

function memory_in_fiber(): void
{
    $other = new Fiber(static fn () => Fiber::suspend());
    $other->start();
    (new Fiber(hog(...)))->start();
}

function fatal_error_in_fiber_beside_a_suspended_one(): void
{
    $GLOBALS['other'] = new Fiber(static fn () => Fiber::suspend());
    $GLOBALS['other']->start();
    (new Fiber(bail_out(...)))->start();
}
