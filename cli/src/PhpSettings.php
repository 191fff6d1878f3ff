<?php

declare(strict_types=1);

namespace Howdah\Cli;

/** php.ini settings as libphp has them. A directive that it does not know is one that is empty. */
final readonly class PhpSettings
{
    /** @param array<array-key, mixed> $values what ini_get_all(null, false) returns */
    public function __construct(private array $values)
    {
    }

    public function text(string $name): string
    {
        $value = $this->values[$name] ?? null;

        return is_string($value) ? $value : '';
    }

    public function isOn(string $name): bool
    {
        return filter_var($this->text($name), FILTER_VALIDATE_BOOL) || (int) $this->text($name) !== 0;
    }

    /** A number, with PHP's K, M and G. */
    public function number(string $name): int
    {
        return self::bytes($this->text($name));
    }

    public static function bytes(string $text): int
    {
        $text = trim($text);
        $factor = match (strtoupper(substr($text, -1))) {
            'K' => 1024,
            'M' => 1024 ** 2,
            'G' => 1024 ** 3,
            default => 1,
        };

        return (int) $text * $factor;
    }
}
