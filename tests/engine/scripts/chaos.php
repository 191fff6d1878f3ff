<?php

// Where PHP code yields with the chaos scheduler: for each place, how often C code called PHP code (or PHP code went through)
// and how often the realm let others run meanwhile. What is called back calls no C function: that would be a place of its own.

declare(strict_types=1);

final class Count
{
    public static int $calls = 0;

    /** @var array<string, array{int, int}> */
    public static array $places = [];

    public static int $switches = 0;

    public static function of(string $place, Closure $work): void
    {
        self::begin();
        $work();
        self::end($place);
    }

    public static function begin(): void
    {
        self::$calls = 0;
        self::$switches = Howdah\status()['switches'];
    }

    public static function end(string $place): void
    {
        $calls = self::$calls;
        self::$places[$place] = [$calls, Howdah\status()['switches'] - self::$switches];
    }
}

final class Place implements Iterator, ArrayAccess, SessionHandlerInterface
{
    public mixed $context;
    public ?Place $self = null;
    private int $at = 0;
    private bool $counts = false;

    public function counting(): self
    {
        $this->counts = true;

        return $this;
    }

    public function __destruct()
    {
        if ($this->counts) {
            ++Count::$calls;
        }
    }

    public function __toString(): string
    {
        ++Count::$calls;

        return 'text';
    }

    public function __get(string $name): int
    {
        return ++Count::$calls;
    }

    public function offsetGet(mixed $offset): mixed
    {
        return ++Count::$calls;
    }

    public function offsetExists(mixed $offset): bool
    {
        return true;
    }

    public function offsetSet(mixed $offset, mixed $value): void
    {
    }

    public function offsetUnset(mixed $offset): void
    {
    }

    public function current(): mixed
    {
        return ++Count::$calls;
    }

    public function key(): mixed
    {
        return ++Count::$calls;
    }

    public function next(): void
    {
        ++Count::$calls;
        ++$this->at;
    }

    public function valid(): bool
    {
        ++Count::$calls;

        return $this->at < 100;
    }

    public function rewind(): void
    {
        $this->at = 0;
    }

    public function stream_open(string $path, string $mode): bool
    {
        ++Count::$calls;

        return true;
    }

    public function stream_read(int $count): string
    {
        ++Count::$calls;

        return '';
    }

    public function stream_eof(): bool
    {
        ++Count::$calls;

        return true;
    }

    public function stream_stat(): array
    {
        ++Count::$calls;

        return [];
    }

    public function stream_close(): void
    {
        ++Count::$calls;
    }

    public function open(string $path, string $name): bool
    {
        ++Count::$calls;

        return true;
    }

    public function close(): bool
    {
        ++Count::$calls;

        return true;
    }

    public function read(string $id): string
    {
        ++Count::$calls;

        return '';
    }

    public function write(string $id, string $data): bool
    {
        ++Count::$calls;

        return true;
    }

    public function destroy(string $id): bool
    {
        return true;
    }

    public function gc(int $max_lifetime): int
    {
        return 0;
    }
}

/** PHP destroys globals from the last to the first: this one tells what happened to the others. */
final class Last
{
    public function __destruct()
    {
        Count::end('destructors at the end');
        echo json_encode(Count::$places), "\n";
    }
}

$last = new Last();

ini_set('session.use_cookies', '0');
ini_set('session.cache_limiter', '');
Count::of('usort', static function (): void {
    $values = range(200, 1);
    usort($values, static fn (int $a, int $b): int => ++Count::$calls ? $a <=> $b : 0);
});
Count::of('array_map', static fn () => array_map(static fn (int $i): int => ++Count::$calls, range(1, 200)));
Count::of('preg_replace_callback', static fn () => preg_replace_callback(
    '/a/',
    static fn (array $match): string => ++Count::$calls ? 'b' : 'c',
    str_repeat('a', 200),
));
Count::of('stream wrapper', static function (): void {
    stream_wrapper_register('chaos', Place::class);
    for ($i = 0; $i < 40; ++$i) {
        file_get_contents('chaos://x');
    }
});
session_set_save_handler(new Place(), false);
Count::of('session handler', static function (): void {
    for ($i = 0; $i < 40; ++$i) {
        session_start();
        session_write_close();
    }
});
Count::of('output handler', static function (): void {
    ob_start(static fn (string $text): string => ++Count::$calls ? '' : 'x', 1);
    for ($i = 0; $i < 200; ++$i) {
        echo 'text';
    }
    ob_end_clean();
});
Count::of('error handler', static function (): void {
    set_error_handler(static fn (): bool => ++Count::$calls > 0);
    $values = range(1, 3);
    for ($i = 0; $i < 200; ++$i) {
        $a = $values['missing'];
    }
    restore_error_handler();
});
Count::of('conversions and magic methods', static function (): void {
    $place = new Place();
    for ($i = 0; $i < 70; ++$i) {
        $a = "{$place} {$i}";
        $a = $place->missing;
        $a = $place['missing'];
    }
});
Count::of('iterator', static function (): void {
    foreach (new Place() as $key => $value) {
    }
});
Count::of('destructors', static function (): void {
    for ($i = 0; $i < 200; ++$i) {
        $place = (new Place())->counting();
        unset($place);
    }
});
Count::of('destructors of the collector', static function (): void {
    for ($i = 0; $i < 200; ++$i) {
        $place = (new Place())->counting();
        $place->self = $place;
    }
    unset($place);
    gc_collect_cycles();
});
Count::of('include', static function (): void {
    for ($i = 0; $i < 200; ++$i) {
        include __DIR__ . '/empty.php';
        ++Count::$calls;
    }
});
spl_autoload_register(static function (string $class): void {
    ++Count::$calls;
});
Count::of('autoload', static function (): void {
    for ($i = 0; $i < 200; ++$i) {
        class_exists("Missing{$i}");
    }
});
// What has no buffer goes to the server at once.
while (ob_get_level() > 0) {
    ob_end_flush();
}
Count::of('output', static function (): void {
    for ($i = 0; $i < 200; ++$i) {
        echo ' ';
        ++Count::$calls;
    }
});
Count::of('C functions', static function (): void {
    for ($i = 0; $i < 1000; ++$i) {
        abs($i);
        ++Count::$calls;
    }
});
Count::of('loops', static function (): void {
    for ($i = 0; $i < 20000; ++$i) {
        $a = $i;
    }
    Count::$calls = $i;
});
for ($i = 0; $i < 200; ++$i) {
    register_shutdown_function(static function () use ($i): void {
        if ($i === 0) {
            Count::begin();
        }
        ++Count::$calls;
        if ($i === 199) {
            Count::end('shutdown functions');
            Count::begin();
        }
    });
    ${"place{$i}"} = (new Place())->counting();
}
