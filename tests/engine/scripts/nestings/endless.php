<?php

/** Recursions without end, each through another place where C code calls PHP code. */

declare(strict_types=1);

namespace Howdah\Tests\Engine\Nestings;

use ArrayAccess;
use Closure;
use Countable;
use Fiber;
use Iterator;
use IteratorAggregate;
use JsonSerializable;
use ReflectionClass;
use ReflectionFunction;
use SplMinHeap;
use Traversable;

/** Each method of PHP's calls itself. */
final class Magic implements ArrayAccess, Countable, IteratorAggregate, JsonSerializable
{
    public function __toString(): string
    {
        return 'x' . new self();
    }

    public function __get(string $name): mixed
    {
        return (new self())->other;
    }

    public function __isset(string $name): bool
    {
        return isset((new self())->other);
    }

    public function __clone()
    {
        $copy = clone new self();
    }

    /** @return array<int, mixed> */
    public function __serialize(): array
    {
        return [serialize(new self())];
    }

    /** @return array<int, mixed> */
    public function __debugInfo(): array
    {
        ob_start();
        var_dump(new self());

        return [ob_get_clean()];
    }

    public function __invoke(): void
    {
        array_map(new self(), [1]);
    }

    public function jsonSerialize(): mixed
    {
        return ['a' => new self()];
    }

    public function count(): int
    {
        return count(new self());
    }

    public function getIterator(): Traversable
    {
        yield from iterator_to_array(new self());
    }

    public function offsetExists(mixed $offset): bool
    {
        return isset((new self())[0]);
    }

    public function offsetGet(mixed $offset): mixed
    {
        return (new self())[0];
    }

    public function offsetSet(mixed $offset, mixed $value): void
    {
        $other = new self();
        $other[0] = 1;
    }

    public function offsetUnset(mixed $offset): void
    {
        $other = new self();
        unset($other[0]);
    }
}

final class Destroyed
{
    public function __destruct()
    {
        $other = new self();
        unset($other);
    }
}

final class Stream
{
    /** @var resource|null */
    public $context;

    public function stream_open(string $path, string $mode, int $options, ?string &$opened): bool
    {
        return fopen('endless://x', 'r') !== false;
    }

    /** @return array<int, int>|false */
    public function url_stat(string $path, int $flags): array|false
    {
        file_exists('endless://x');

        return false;
    }
}

final class Heap extends SplMinHeap
{
    protected function compare(mixed $one, mixed $other): int
    {
        $heap = new self();
        $heap->insert(1);
        $heap->insert(2);

        return 0;
    }
}

/** @implements Iterator<int, int> */
final class Walked implements Iterator
{
    public function current(): mixed
    {
        iterator_to_array(new self());

        return 1;
    }

    public function key(): mixed
    {
        return 0;
    }

    public function next(): void
    {
    }

    public function rewind(): void
    {
    }

    public function valid(): bool
    {
        return true;
    }
}

final class Endless
{
    /** @return list<string> */
    public static function names(): array
    {
        return array_keys(self::all());
    }

    public static function run(string $name): void
    {
        self::all()[$name]();
    }

    private static function again(string $name): Closure
    {
        return static fn () => self::run($name) ?? 0;
    }

    /** @return array<string, Closure> */
    private static function all(): array
    {
        return [
            'array_map' => static fn () => array_map(self::again('array_map'), [1]),
            'array_walk' => static function (): void {
                $list = [1];
                array_walk($list, self::again('array_walk'));
            },
            'array_filter' => static fn () => array_filter([1], self::again('array_filter')),
            'array_reduce' => static fn () => array_reduce([1], self::again('array_reduce')),
            'usort' => static function (): void {
                $list = [2, 1];
                usort($list, self::again('usort'));
            },
            'uksort' => static function (): void {
                $list = ['a' => 2, 'b' => 1];
                uksort($list, self::again('uksort'));
            },
            'call_user_func' => static fn () => array_map('call_user_func', [self::again('call_user_func')]),
            'preg_replace_callback' => static fn () => preg_replace_callback('/x/', self::again('preg_replace_callback'), 'x'),
            'iterator_apply' => static fn () => iterator_apply(new \ArrayIterator([1]), self::again('iterator_apply')),
            'reflection' => static fn () => (new ReflectionFunction(self::again('reflection')))->invoke(),
            'constructor' => static fn () => (new ReflectionClass(Constructed::class))->newInstance(),
            'to_string' => static fn () => (string) new Magic(),
            'string in a sort' => static function (): void {
                $list = [new Magic(), 'x'];
                sort($list);
            },
            'get' => static fn () => (new Magic())->other,
            'isset' => static fn () => isset((new Magic())->other),
            'clone' => static fn () => clone new Magic(),
            'serialize' => static fn () => serialize(new Magic()),
            'debug_info' => static function (): void {
                var_dump(new Magic());
            },
            'invoke' => static fn () => (new Magic())(),
            'json' => static fn () => json_encode(new Magic()),
            'json without a limit' => static fn () => json_encode(new Magic(), depth: 1_000_000_000),
            'count' => static fn () => count(new Magic()),
            'iterator_to_array' => static fn () => iterator_to_array(new Magic()),
            'iterator' => static fn () => iterator_to_array(new Walked()),
            'offset_exists' => static fn () => isset((new Magic())[0]),
            'offset_get' => static fn () => (new Magic())[0],
            'offset_set' => static fn () => (new Magic())->offsetSet(0, 1),
            'offset_unset' => static fn () => (new Magic())->offsetUnset(0),
            'destructor' => static fn () => new Destroyed(),
            'heap' => static function (): void {
                $heap = new Heap();
                $heap->insert(1);
                $heap->insert(2);
            },
            'stream wrapper' => static function (): void {
                if (!in_array('endless', stream_get_wrappers(), true)) {
                    stream_wrapper_register('endless', Stream::class);
                }
                fopen('endless://x', 'r');
            },
            'stat of a stream wrapper' => static function (): void {
                if (!in_array('endless', stream_get_wrappers(), true)) {
                    stream_wrapper_register('endless', Stream::class);
                }
                file_exists('endless://x');
            },
            'autoload' => static function (): void {
                spl_autoload_register(
                    static fn (string $class) => str_starts_with($class, 'Missing') && class_exists("{$class}x"),
                );
                class_exists('Missing');
            },
            'error handler' => static function (): void {
                set_error_handler(self::again('error handler'));
                array_map('trigger_error', ['x']);
            },
            'include' => static function (): void {
                array_map(static fn (string $file) => require $file, [__DIR__ . '/itself.php']);
            },
            'eval' => static fn () => eval('\\' . self::class . '::run("eval");'),
            'generator' => static function (): void {
                $generator = (static fn () => yield self::run('generator'))();
                iterator_to_array($generator);
            },
            'Fiber' => static fn () => (new Fiber(self::again('array_map')))->start(),
            'shutdown function' => static fn () => register_shutdown_function(self::again('array_map')),
            'output callback' => static function (): void {
                ob_start(static fn (string $text): string => $text . self::run('array_map'));
                echo 'x';
                ob_end_flush();
            },
            'header callback' => static fn () => header_register_callback(self::again('array_map')),
            'DOM' => static function (): void {
                $path = new \DOMXPath(new \DOMDocument());
                $path->registerNamespace('php', 'http://php.net/xpath');
                $path->registerPhpFunctions();
                $path->evaluate('php:function("' . self::class . '::run", "DOM")');
            },
            'XML parser' => static function (): void {
                $parser = xml_parser_create();
                xml_set_element_handler($parser, self::again('XML parser'), static fn () => 0);
                xml_parse($parser, '<a/>');
            },
            'SQLite' => static function (): void {
                $database = new \SQLite3(':memory:');
                $database->createFunction('again', self::again('SQLite'));
                $database->querySingle('select again()');
            },
            'yield from' => static function (): void {
                $generate = static function () use (&$generate) {
                    yield from $generate();
                };
                iterator_to_array($generate());
            },
            'PHP code' => static fn () => self::run('PHP code'),
        ];
    }
}

final class Constructed
{
    public function __construct()
    {
        (new ReflectionClass(self::class))->newInstance();
    }
}
