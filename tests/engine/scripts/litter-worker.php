<?php

// Boots with 8 MB of which it keeps one page in sixteen, and 3,000 calls deep; each request leaves a reference cycle of 64 KB.
$deep = static function (int $left) use (&$deep): int {
    return $left === 0 ? 0 : 1 + array_sum(array_map($deep, [$left - 1]));
};
$deep(3000);
$pages = [];
for ($i = 0; $i < 2048; $i++) {
    $pages[] = str_repeat(chr(65 + $i % 26), 3500);
}
$kept = array_filter($pages, static fn (int $i): bool => $i % 16 === 0, ARRAY_FILTER_USE_KEY);
unset($pages);

$handler = static function () use ($kept): void {
    $one = new stdClass();
    $one->self = $one;
    $one->text = str_repeat('x', 65536);
    for ($i = 0; $i < 150; $i++) {
        $many = new stdClass();
        $many->self = $many;
    }
    foreach ($kept as $i => $page) {
        if ($page !== str_repeat(chr(65 + $i % 26), 3500)) {
            echo "page $i is not what it was\n";
        }
    }
    echo 'ok';
};

while (frankenphp_handle_request($handler)) {
}
