<?php

declare(strict_types=1);

namespace Howdah\HttpTests\Ends;

use RuntimeException;

/** What a callback does in which a request ends: it says so, lets others run, and ends in a way. */
final class Act
{
    public static string $folder;
    public static string $way;
    public static string $name;

    public static function now(): void
    {
        file_put_contents(self::$folder . '/acted-' . self::$name, 'x', FILE_APPEND);
        usleep(1000);
        match (self::$way) {
            'error' => eval('class Broken { abstract function f(); }'),
            'exception' => throw new RuntimeException('thrown on purpose'),
            'exit' => exit,
            'memory' => self::hog(),
            'leave', 'limit' => self::wait(),
        };
    }

    private static function hog(): never
    {
        ini_set('memory_limit', (string) (memory_get_usage(true) + 4_000_000));
        $hog = [];
        while (true) {
            $hog[] = str_repeat('x', 10_000) . count($hog);
        }
    }

    private static function wait(): void
    {
        while (connection_status() === CONNECTION_NORMAL) {
            usleep(5000);
        }
    }
}
