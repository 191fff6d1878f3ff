<?php

declare(strict_types=1);

require __DIR__ . '/../tools/vendor/autoload.php';

// Of bcmath, which tests do not need otherwise, protobuf's reader of JSON takes this: whole numbers as they are written.
if (!function_exists('bccomp')) {
    function bccomp(string $one, string $other): int
    {
        $value = static fn (string $text): array => [ltrim($text, '-'), str_starts_with($text, '-') ? -1 : 1];
        [[$a, $sign], [$b, $otherSign]] = [$value($one), $value($other)];

        return $sign !== $otherSign ? $sign : $sign * (strlen($a) <=> strlen($b) ?: strcmp($a, $b));
    }
}

spl_autoload_register(static function (string $class): void {
    $prefix = 'Howdah\\HttpTests\\';
    if (str_starts_with($class, $prefix)) {
        require __DIR__ . '/' . substr($class, strlen($prefix)) . '.php';
    }
});
