<?php

declare(strict_types=1);

namespace Howdah\Psr15;

/**
 * The only file here that names $_SERVER: PHP makes it for code that does, and Howdah for each request of a realm that has
 * loaded such code. So nothing loads this without need.
 */
final class Superglobals
{
    /** @return array<string, string> */
    public static function server(): array
    {
        /** @var array<string, string> */
        return $_SERVER;
    }
}
