<?php

declare(strict_types=1);

namespace Howdah\Fuzz\Calls;

use ArrayIterator;
use ArrayObject;
use Closure;
use DateTimeImmutable;
use Exception;
use Random\Randomizer;
use SplObjectStorage;
use stdClass;

/** Arguments: right in most places and odd in some. Those that name files name files of this request. */
final class Values
{
    /** @var list<object> made by calls before */
    private array $objects = [];

    /** @var list<resource> */
    private array $resources = [];

    public function __construct(private readonly Randomizer $dice, private readonly string $folder)
    {
    }

    /** What a call gave may be the argument of a later one. */
    public function keep(mixed $value): void
    {
        if (is_object($value) && !$value instanceof Closure && count($this->objects) < 30) {
            $this->objects[] = $value;
        } elseif (is_resource($value) && count($this->resources) < 30) {
            $this->resources[] = $value;
        }
    }

    /** @param string $type as a parameter names it: "int", "?string", "array|string|null" */
    public function of(string $type): mixed
    {
        $types = explode('|', str_replace('?', 'null|', strtolower($type)));
        $type = $this->dice->getInt(0, 99) < 80 ? $this->choose($types) : $this->choose([...$types, 'mixed']);

        return match (ltrim($type, '\\')) {
            'int' => $this->int(),
            'float' => $this->choose([0.0, -1.5, 1e300, -0.0, NAN, INF, 3.14, 1e-300]),
            'string' => $this->string(),
            'bool' => $this->dice->getInt(0, 1) === 1,
            'true' => true,
            'false' => false,
            'null', 'void' => null,
            'array', 'iterable', 'traversable' => $this->array(),
            'callable', 'closure' => $this->callable(),
            'object', 'self', 'static' => $this->object(),
            '' , 'mixed' => $this->any(),
            default => $this->instance($type),
        };
    }

    public function any(): mixed
    {
        return match ($this->dice->getInt(0, 9)) {
            0, 1 => $this->int(),
            2, 3 => $this->string(),
            4 => $this->array(),
            5 => $this->object(),
            6 => $this->resources === [] ? null : $this->choose($this->resources),
            7 => $this->callable(),
            8 => $this->choose([true, false, null]),
            default => $this->choose([0.5, -1e300, NAN]),
        };
    }

    /** An object of a class, or of another one where there is none. */
    public function instance(string $class): object
    {
        $fitting = array_values(array_filter($this->objects, static fn (object $object): bool => is_a($object, $class)));

        return $fitting === [] ? $this->object() : $this->choose($fitting);
    }

    /**
     * @template T
     * @param non-empty-array<T> $from
     * @return T
     */
    public function choose(array $from): mixed
    {
        return $from[$this->dice->pickArrayKeys($from, 1)[0]];
    }

    private function int(): int
    {
        $odd = [65535, -1, -2, -100, PHP_INT_MAX, PHP_INT_MIN, 1 << 31];

        return $this->choose([0, 1, 2, 3, 7, 8, 64, 100, 255, 1000, 4096, ...$odd]);
    }

    private function string(): string
    {
        return $this->choose(match ($this->dice->getInt(0, 5)) {
            0, 1 => ['', 'a', 'abc', '0', '12', '-1', '1e5', "\0", "a\0b", 'ÄÖ', "\xff\xfe", '%s %d %n', '<a b="c">d</a>',
                '{"a":[1,2]}', 'a=1&b[]=2', 'a:1:{i:0;s:1:"x";}', '2026-01-31 12:00', 'P1D', "line\nline\r\n", 'x@y.example'],
            2 => ['/a(b)?c/', '/(a+)+$/', '~[[:alpha:]~u', '/x/e', 'UTF-8', 'ISO-8859-1', 'UTF-16', 'base64', 'en_US',
                'Europe/Oslo', 'C', 'sha256', 'aes-128-cbc', 'precision', 'date.timezone', 'mbstring.language'],
            3 => ['strlen', 'md5', 'stdClass', 'ArrayObject', 'Exception', 'no_such_thing', 'PHP_VERSION', 'E_ALL'],
            4 => [str_repeat('x', 300), str_repeat("ab\0", 5000), str_repeat('[', 200), implode(',', range(1, 500))],
            default => ["$this->folder/file", "$this->folder/none", $this->folder, 'file', 'php://memory', 'php://temp',
                "compress.zlib://$this->folder/file", 'data:text/plain,abc', 'http://127.0.0.1:1/', '127.0.0.1', 'r', 'w+'],
        });
    }

    /** @return array<array-key, mixed> */
    private function array(): array
    {
        $array = $this->choose([[], [1, 2, 3], ['a' => 1, 'b' => null], [[1], [2]], ['x', 'y', 'x'], array_fill(0, 200, 'v'),
            [3 => 'c', 1 => 'a', -5 => 0.5], ['a' => ['b' => ['c' => 1]]], [NAN, '1', 1, true]]);
        if ($this->dice->getInt(0, 4) === 0) {
            $array[] = $this->dice->getInt(0, 1) === 0 ? $this->object() : $this->string();
        }

        return $array;
    }

    /** Some of them wait, which is when others run. */
    private function callable(): callable
    {
        return $this->choose([
            'strlen',
            'strcmp',
            static fn (mixed ...$all): mixed => $all[0] ?? null,
            static function (mixed ...$all): int {
                usleep(0);

                return count($all);
            },
            static function (): bool {
                usleep(50);

                return true;
            },
            static fn () => throw new Exception('thrown by a callback'),
            static fn (mixed $a = 0, mixed $b = 0): int => $a <=> $b,
        ]);
    }

    private function object(): object
    {
        if ($this->objects !== [] && $this->dice->getInt(0, 2) > 0) {
            return $this->choose($this->objects);
        }

        return match ($this->dice->getInt(0, 4)) {
            0 => new stdClass(),
            1 => new ArrayObject([1, 'a' => 2]),
            2 => new ArrayIterator(['x', 'y']),
            3 => new DateTimeImmutable('2026-01-31'),
            default => new SplObjectStorage(),
        };
    }
}
