<?php

/** Objects whose methods, which C code calls, do to another one what was done to them: recursions without end. */

declare(strict_types=1);

namespace Howdah\Tests\Engine\Nestings;

use ArrayAccess;
use Attribute;
use Countable;
use FilterIterator;
use Iterator;
use IteratorAggregate;
use JsonSerializable;
use php_user_filter;
use ReflectionClass;
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

    public function __set(string $name, mixed $value): void
    {
        $other = new self();
        $other->other = 1;
    }

    public function __unset(string $name): void
    {
        $other = new self();
        unset($other->other);
    }

    /** @param list<mixed> $arguments */
    public function __call(string $name, array $arguments): mixed
    {
        return array_map([new self(), $name], [1]);
    }

    /** @param list<mixed> $arguments */
    public static function __callStatic(string $name, array $arguments): mixed
    {
        return array_map([self::class, $name], [1]);
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

    /** @param array<int, mixed> $data */
    public function __unserialize(array $data): void
    {
        unserialize(serialized(self::class));
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

final class Woken
{
    public function __wakeup(): void
    {
        unserialize(serialized(self::class));
    }
}

/** An object of a class, without properties. */
function serialized(string $class): string
{
    return 'O:' . strlen($class) . ":\"$class\":0:{}";
}

#[Attribute]
#[Attributed]
final class Attributed
{
    public function __construct()
    {
        (new ReflectionClass(self::class))->getAttributes(self::class)[0]->newInstance();
    }
}

/** @extends FilterIterator<int, int, \ArrayIterator<int, int>> */
final class Accepted extends FilterIterator
{
    public function accept(): bool
    {
        return iterator_to_array(new self(new \ArrayIterator([1]))) !== [];
    }
}

final class Filter extends php_user_filter
{
    public static function write(): void
    {
        in_array('endless', stream_get_filters(), true) || stream_filter_register('endless', self::class);
        $stream = fopen('php://memory', 'w');
        stream_filter_append($stream, 'endless', STREAM_FILTER_WRITE);
        fwrite($stream, 'x');
    }

    public function filter($in, $out, &$consumed, bool $closing): int
    {
        self::write();

        return PSFS_PASS_ON;
    }
}

final class Constructed
{
    public function __construct()
    {
        (new ReflectionClass(self::class))->newInstance();
    }
}
