<?php

// Loops that a compiler keeps in registers, long enough for several slices, with answers that are known otherwise. Nothing
// waits. ?do=spin never ends, ?do=order computes long where ?n= is 0.

declare(strict_types=1);

/** Variables that are set before the loop and only read in it. */
function invariants(int $n, int $turns): bool
{
    $step = $n * 3 + 1;
    $half = $n * 0.5;
    $sum = 0;
    $floating = 0.0;
    for ($i = 0; $i < $turns; ++$i) {
        $sum += $step;
        $floating += $half;
    }

    return $sum === $turns * $step && $floating === $turns * $half;
}

function nested(int $n, int $turns): bool
{
    $sum = 0;
    for ($i = 0; $i < $turns; $i += 100) {
        for ($j = 0; $j < 100; ++$j) {
            $sum += $i + $j + $n;
        }
    }

    return $sum === intdiv($turns * ($turns - 1), 2) + $turns * $n;
}

function branches(int $n, int $turns): bool
{
    $value = $n;
    $count = 0;
    while ($count < $turns) {
        $value += 7;
        ++$count;
        if ($count % 5 === 0) {
            $value -= 2;
        }
    }

    return $value === $n + 7 * $turns - 2 * intdiv($turns, 5);
}

final class Counter
{
    private int $value = 0;

    public function run(int $n, int $turns): bool
    {
        $step = $n * 2;
        for ($i = 0; $i < $turns; ++$i) {
            $this->value += $step;
            $step ^= 1;
        }

        return $this->value === $turns * 2 * $n + intdiv($turns, 2);
    }
}

function add(int $one, int $two): int
{
    return $one + $two;
}

function calls(int $n, int $turns): bool
{
    $sum = 0;
    for ($i = 0; $i < $turns; ++$i) {
        $sum = add($sum, $i);
        $sum += $n;
    }

    return $sum === intdiv($turns * ($turns - 1), 2) + $turns * $n;
}

/** @return Generator<int, int> */
function pieces(int $turns): Generator
{
    for ($i = 0; $i < $turns; $i += 10) {
        $piece = 0;
        for ($j = 0; $j < 10; ++$j) {
            $piece += $i + $j;
        }
        yield $piece;
    }
}

function generators(int $n, int $turns): bool
{
    $sum = $n;
    foreach (pieces($turns) as $piece) {
        $sum += $piece;
    }

    return $sum === $n + intdiv($turns * ($turns - 1), 2);
}

function elements(int $n, int $turns): bool
{
    $list = array_fill(0, 100, $n);
    for ($i = 0; $i < $turns; ++$i) {
        $list[$i % 100] += $i % 3;
    }
    $sum = 0;
    foreach ($list as $value) {
        $sum += $value;
    }

    return $sum === 100 * $n + intdiv($turns, 3) * 3 + [0, 0, 1][$turns % 3];
}

$n = (int) $_GET['n'];
switch ($_GET['do'] ?? '') {
    case 'spin':
        set_time_limit(1);
        for ($i = 0;; ++$i) {
            $i ^= 1;
        }
        // no break: the loop does not end
    case 'order':
        echo nested($n, $n === 0 ? 100_000_000 : 100) ? "{$n} " : "wrong {$n} ";
        exit;
}
$wrong = [];
$counter = new Counter();
$loops = [
    'invariants' => invariants(...),
    'nested' => nested(...),
    'branches' => branches(...),
    'properties' => $counter->run(...),
    'calls' => calls(...),
    'generators' => generators(...),
    'elements' => elements(...),
];
foreach ($loops as $name => $loop) {
    if (!$loop($n, 500_000)) {
        $wrong[] = $name;
    }
}
echo $wrong === [] ? "right {$n}" : "wrong {$n}: " . implode(' ', $wrong);
