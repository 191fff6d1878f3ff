<?php

declare(strict_types=1);

namespace Howdah\Fuzz;

/** Which places of the module have been reached: the file that ../../sanitize/reached.c maps. */
final class Coverage
{
    private const PLACES = 1 << 16;

    private string $known;

    public function __construct(public readonly string $file)
    {
        $this->known = str_repeat("\0", self::PLACES);
        file_put_contents($file, $this->known);
    }

    /** Whether there is something new since it was asked last. */
    public function hasGrown(): bool
    {
        $all = $this->known | (string) file_get_contents($this->file);
        $grown = $all !== $this->known;
        $this->known = $all;

        return $grown;
    }

    public function places(): int
    {
        return self::PLACES - substr_count($this->known, "\0");
    }
}
