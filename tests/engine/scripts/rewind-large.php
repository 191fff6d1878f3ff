<?php

/**
 * An application of two megabytes: each request tells what it finds of all of it, and changes some pages of it. With rewind
 * all answers are the same; which pages were written to the kernel knows.
 */

declare(strict_types=1);

$text = static fn (int $i, int $length): string => str_repeat(chr(97 + $i % 26), $length);
$app = array_map(static fn (int $i): object => (object) ['i' => $i, 'text' => $text($i, 60)], range(0, 2_999));
$other = array_map(static fn (int $i): string => $text($i, $i % 900), range(0, 799));

while (
    frankenphp_handle_request(static function () use (&$app, &$other): void {
        echo hash('xxh128', serialize([$app, $other])), ' ', memory_get_usage(), "\n";
        $seed = is_numeric($_GET['i'] ?? null) ? (int) $_GET['i'] : 0;
        mt_srand($seed);
        // Some requests change nothing, some little, some much: pages become hot and cold again.
        for ($i = [0, 1, 30, 0, 600][$seed % 5]; $i > 0; $i--) {
            $app[mt_rand(0, 2_999)]->i++;
            unset($other[mt_rand(0, 799)], $app[mt_rand(0, 2_999)]->text);
            $other[] = str_repeat('x', mt_rand(0, 900));
        }
        if ($seed % 7 === 0) {
            gc_mem_caches();
            $app = [];
        }
    })
) {
}
