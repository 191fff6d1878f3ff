<?php

// Computes in the ways that a JIT compiles differently, each with an answer that is known otherwise, and waits in the middle:
// in loops, below C code, in destructors, generators, fibers and where exceptions pass. ?n= makes the requests different; those
// from 100 on demand that code has been compiled.

declare(strict_types=1);

final class Pause
{
    private static int $left = 12;

    /** Waits, now and then, for another realm to run. */
    public static function now(int $turn): void
    {
        if ($turn % 97 === 0 && self::$left-- > 0) {
            usleep(300);
        }
    }
}

abstract class Shape
{
    public float $factor = 1.0;

    /** @var array<string, int> */
    public array $seen = [];

    public function __construct(protected readonly int $size)
    {
    }

    abstract public function area(): float;

    public function note(string $key): static
    {
        $this->seen[$key] = ($this->seen[$key] ?? 0) + $this->size;

        return $this;
    }
}

final class Square extends Shape
{
    public function area(): float
    {
        return $this->factor * $this->size * $this->size;
    }
}

final class Circle extends Shape
{
    public function area(): float
    {
        return $this->factor * $this->size * 3.0;
    }
}

final class Ghost
{
    /** @param array<int, int> $log */
    public function __construct(private array &$log, private int $value)
    {
    }

    public function __destruct()
    {
        Pause::now($this->value);
        $this->log[] = $this->value;
    }

    public function __toString(): string
    {
        Pause::now($this->value);

        return "ghost{$this->value}";
    }

    /** @param list<mixed> $arguments */
    public function __call(string $name, array $arguments): string
    {
        Pause::now($this->value);

        return $name . count($arguments);
    }
}

function sums(int $n): bool
{
    $sum = 0;
    $text = '';
    $floating = 0.0;
    for ($i = 1; $i <= 3000 + $n; ++$i) {
        $sum += $i;
        $floating += $i * 0.5;
        if ($i % 100 === 0) {
            $text .= chr(65 + $i % 26);
        }
        Pause::now($i);
    }
    $last = 3000 + $n;

    return $sum === intdiv($last * ($last + 1), 2) && $floating === $sum * 0.5 && strlen($text) === intdiv($last, 100);
}

function fib(int $n): int
{
    Pause::now($n * 7);

    return $n < 2 ? $n : fib($n - 1) + fib($n - 2);
}

function overflow(int $n): bool
{
    $value = PHP_INT_MAX - 500;
    $turned = null;
    for ($i = 0; $i < 1000; ++$i) {
        ++$value;
        if (is_float($value) && $turned === null) {
            $turned = $i;
        }
        Pause::now($i + $n);
    }

    return $turned === 500 && is_float($value);
}

function sieve(int $n): bool
{
    $limit = 5000;
    $composite = array_fill(0, $limit + 1, false);
    $primes = [];
    for ($i = 2; $i <= $limit; ++$i) {
        if ($composite[$i]) {
            continue;
        }
        $primes[] = $i;
        for ($j = $i * $i; $j <= $limit; $j += $i) {
            $composite[$j] = true;
        }
        Pause::now($i + $n);
    }

    return count($primes) === 669 && array_sum($primes) === 1548136;
}

function shapes(int $n): bool
{
    $area = 0.0;
    $shapes = [];
    for ($i = 0; $i < 400; ++$i) {
        $shapes[] = $i % 3 === 0 ? new Circle($n + $i) : new Square($n + $i);
    }
    foreach ($shapes as $i => $shape) {
        Pause::now($i);
        $shape->factor = $i % 2 === 0 ? 2.0 : 1.0;
        $area += $shape->note("k{$n}")->note('all')->area();
    }
    $expected = 0;
    $i = 0;
    while ($i < 400) {
        $expected += ($n + $i) * ($i % 3 === 0 ? 3 : $n + $i) * ($i % 2 === 0 ? 2 : 1);
        ++$i;
    }

    return $area === (float) $expected && $shapes[5]->seen === ["k{$n}" => $n + 5, 'all' => $n + 5];
}

/** @return Generator<int, int, int, string> */
function numbers(int $to): Generator
{
    $got = 0;
    try {
        for ($i = 0; $i < $to; ++$i) {
            Pause::now($i);
            $got += yield $i => $i * 2;
        }
    } finally {
        Pause::now(0);
    }

    return "got {$got}";
}

function generators(int $n): bool
{
    $generator = numbers(500);
    $sum = 0;
    foreach ((static fn () => yield from numbers(100 + $n))() as $key => $value) {
        $sum += $value - $key;
    }
    $generator->current();
    for ($i = 0; $i < 500; ++$i) {
        $generator->send(3);
    }
    $last = 99 + $n;

    return $sum === intdiv($last * ($last + 1), 2) && $generator->getReturn() === 'got 1500';
}

function fibers(int $n): bool
{
    $fibers = [];
    for ($i = 0; $i < 4; ++$i) {
        $fibers[$i] = new Fiber(static function (int $from) use ($n): int {
            $sum = $from;
            for ($j = 0; $j < 200; ++$j) {
                Pause::now($j);
                $sum += Fiber::suspend($j) + $n;
            }

            return $sum;
        });
        $fibers[$i]->start($i);
    }
    for ($j = 0; $j < 200; ++$j) {
        foreach ($fibers as $i => $fiber) {
            $fiber->resume($i);
        }
    }
    foreach ($fibers as $i => $fiber) {
        if ($fiber->getReturn() !== $i + 200 * ($i + $n)) {
            return false;
        }
    }

    return true;
}

function deep(int $left, int $n): int
{
    if ($left === 0) {
        usleep(200);
        throw new LengthException("bottom {$n}", $n);
    }
    try {
        return deep($left - 1, $n) + 1;
    } finally {
        Pause::now($left);
    }
}

function exceptions(int $n): bool
{
    $caught = 0;
    for ($i = 0; $i < 300; ++$i) {
        try {
            Pause::now($i);
            if ($i % 3 === 0) {
                throw new RangeException((string) $i);
            }
            if ($i % 3 === 1) {
                array_map(static fn (int $value): int => intdiv($value, $value - 1), [3, 2, 1]);
            }
        } catch (RangeException | DivisionByZeroError $error) {
            $caught += $error instanceof RangeException ? 1 : 1000;
        }
    }
    try {
        deep(20, $n);
        $message = 'nothing thrown';
    } catch (LengthException $error) {
        $message = $error->getMessage() . ' ' . $error->getCode();
    }

    return $caught === 100_100 && $message === "bottom {$n} {$n}";
}

function callbacks(int $n): bool
{
    $list = [];
    for ($i = 0; $i < 300; ++$i) {
        $list[] = ($i * 7919 + $n) % 1009;
    }
    $turns = 0;
    usort($list, static function (int $a, int $b) use (&$turns): int {
        Pause::now(++$turns);

        return $a <=> $b;
    });
    $sorted = true;
    for ($i = 1; $i < 300; ++$i) {
        $sorted = $sorted && $list[$i - 1] <= $list[$i];
    }
    $text = preg_replace_callback('/\d+/', static function (array $match) use ($n): string {
        Pause::now((int) $match[0]);

        return (string) ((int) $match[0] + $n);
    }, implode(' ', range(0, 200)));

    return $sorted && $text === implode(' ', range($n, 200 + $n));
}

function ghosts(int $n): bool
{
    $log = [];
    $text = '';
    for ($i = 0; $i < 300; ++$i) {
        $ghost = new Ghost($log, $i);
        $text .= $ghost . $ghost->anything($n, $i);
    }
    unset($ghost);

    return $log === range(0, 299) && strlen($text) === strlen(implode('', range(0, 299))) + 300 * strlen('ghostanything2');
}

function matrices(int $n): bool
{
    $size = 20;
    $left = $right = $product = [];
    for ($i = 0; $i < $size; ++$i) {
        for ($j = 0; $j < $size; ++$j) {
            $left[$i][$j] = $i === $j ? $n : 0;
            $right[$i][$j] = $i * $size + $j;
        }
    }
    for ($i = 0; $i < $size; ++$i) {
        for ($j = 0; $j < $size; ++$j) {
            $sum = 0;
            for ($k = 0; $k < $size; ++$k) {
                $sum += $left[$i][$k] * $right[$k][$j];
            }
            $product[$i][$j] = $sum;
            Pause::now($i * $size + $j);
        }
    }
    foreach ($product as $i => $row) {
        foreach ($row as $j => $value) {
            if ($value !== $n * ($i * $size + $j)) {
                return false;
            }
        }
    }

    return true;
}

function texts(int $n): bool
{
    $words = [];
    $hash = 5381;
    for ($i = 0; $i < 800; ++$i) {
        $word = ['alpha', 'beta', 'gamma', "own{$n}"][$i % 4];
        $words[$word] = ($words[$word] ?? 0) + strlen($word);
        $hash = ($hash * 33 + ord($word[$i % 4])) & 0xFFFFFFFF;
        Pause::now($i);
    }
    $own = 200 * strlen("own{$n}");
    $again = 5381;
    foreach (str_split(str_repeat('aem' . ((string) $n)[0], 200)) as $letter) {
        $again = ($again * 33 + ord($letter)) & 0xFFFFFFFF;
    }

    return $words === ['alpha' => 1000, 'beta' => 800, 'gamma' => 1000, "own{$n}" => $own] && $hash === $again;
}

/** A value that is sometimes of another type: what the JIT has guessed must not hold for ever. */
function guesses(int $n): bool
{
    $total = 0;
    $add = static fn (int|float|string $value): int|float => $value + 1;
    for ($i = 0; $i < 600; ++$i) {
        Pause::now($i);
        $value = match (true) {
            $i % 150 === 149 => (string) $n,
            $i > 400 => (float) $n,
            default => $n,
        };
        $total += is_string($value) ? $add((int) $value) : $add($value);
    }

    return $total === (float) (600 * ($n + 1));
}

$n = (int) $_GET['n'];
$tests = [
    'sums' => sums(...),
    'fib' => static fn (): bool => fib(16) === 987,
    'overflow' => overflow(...),
    'sieve' => sieve(...),
    'shapes' => shapes(...),
    'generators' => generators(...),
    'fibers' => fibers(...),
    'exceptions' => exceptions(...),
    'callbacks' => callbacks(...),
    'ghosts' => ghosts(...),
    'matrices' => matrices(...),
    'texts' => texts(...),
    'guesses' => guesses(...),
];
// Each request begins elsewhere, so that realms meet in the middle of each other's code.
$names = array_keys($tests);
$wrong = [];
for ($i = 0; $i < count($names); ++$i) {
    $name = $names[($i + $n) % count($names)];
    if (!$tests[$name]($n)) {
        $wrong[] = $name;
    }
}
$jit = opcache_get_status(false)['jit'] ?? [];
if ($n >= 100 && ($jit === [] || !$jit['on'] || $jit['buffer_size'] - $jit['buffer_free'] < 10_000)) {
    $wrong[] = 'nothing was compiled';
}
echo $wrong === [] ? "right {$n}" : "wrong {$n}: " . implode(' ', $wrong);
