<?php

/** Waits in callbacks of C code: a sort, a regular expression, __toString(), an autoloader. No limit: a nap has none. */

declare(strict_types=1);

use Howdah\WaitingTests\App\WithoutLimit;

return new class extends WithoutLimit {
    public function wait(float $seconds): mixed
    {
        $nap = static fn () => usleep((int) ($seconds * 100_000));
        $list = [3, 1, 2];
        usort($list, static fn (int $a, int $b): int => $nap() ?? $a <=> $b);
        $text = preg_replace_callback('/\d/', static fn (array $found): string => $nap() ?? "<$found[0]>", 'a1b2');
        $mapped = array_map(static fn (int $value): int => $nap() ?? $value + 1, [1, 2]);
        $string = (string) new class ($nap) {
            public function __construct(private readonly Closure $nap)
            {
            }

            public function __toString(): string
            {
                return ($this->nap)() ?? 'a string';
            }
        };
        $autoload = static function (string $class) use ($nap): void {
            $nap();
        };
        spl_autoload_register($autoload);
        $exists = class_exists('Nobody\\Knows');
        spl_autoload_unregister($autoload);
        set_error_handler(static fn (int $level, string $message): bool => $nap() ?? true);
        $undefined = []['undefined'] ?? trigger_error('an error');
        restore_error_handler();

        return [$list, $text, $mapped, $string, $exists, $undefined];
    }
};
