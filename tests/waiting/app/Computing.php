<?php

declare(strict_types=1);

namespace Howdah\WaitingTests\App;

/**
 * How long a row computes: for some seconds, and, where a request asks for it, until its file `until` is there. When it has
 * computed for the first time it makes its file `began`.
 */
final class Computing
{
    private readonly float $end;
    private bool $began = false;

    public function __construct(float $seconds)
    {
        $this->end = hrtime(true) + $seconds * 1e9;
    }

    public function goesOn(): bool
    {
        if (!$this->began && self::file('began') !== null) {
            touch((string) self::file('began'));
        }
        $this->began = true;
        clearstatcache();
        $until = self::file('until');

        return hrtime(true) < $this->end || ($until !== null && !file_exists($until));
    }

    private static function file(string $parameter): ?string
    {
        $name = $_GET[$parameter] ?? null;

        return is_string($name) ? Settings::folder() . '/' . basename($name) : null;
    }
}
