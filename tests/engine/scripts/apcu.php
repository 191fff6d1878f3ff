<?php

// Stores, fetches and computes in APCu's cache, which all realms share: what is read back is whole, and the request's own is
// its own.

declare(strict_types=1);

$number = (int) $_GET['n'];
$wrong = [];
for ($turn = 0; $turn < 10; ++$turn) {
    apcu_store('shared ' . ($number + $turn) % 7, [$number, str_repeat('x', $number)]);
    $shared = apcu_fetch('shared ' . $turn % 7);
    if ($shared !== false && strlen($shared[1]) !== $shared[0]) {
        $wrong[] = $shared;
    }
    $own = apcu_entry("own {$number} {$turn}", static function () use ($number): int {
        usleep(100);

        return apcu_entry("inner {$number}", static fn (): int => $number);
    });
    if ($own !== $number) {
        $wrong[] = $own;
    }
    foreach (new APCUIterator('/^shared/') as $item) {
        $item['key'] !== '' || $wrong[] = $item;
    }
    usleep(100);
}
echo $wrong === [] ? 'right' : json_encode($wrong);
