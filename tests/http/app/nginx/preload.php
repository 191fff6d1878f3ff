<?php

declare(strict_types=1);

final class Preloaded
{
    public const NAMES = ['kept', 'in', 'memory'];

    private static int $count = 0;

    public static function count(): int
    {
        return ++self::$count;
    }
}

function preloaded_count(): int
{
    static $count = 0;

    return ++$count;
}
