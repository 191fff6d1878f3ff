<?php

declare(strict_types=1);

namespace Howdah\Bench\App\Arena;

use PDO;

/** An entry of a public benchmark, written to its rules; the same code under every server. */
abstract class Entry
{
    protected const JSON = 'application/json';
    protected const PLAIN = 'text/plain';

    /**
     * @param array<mixed>     $query
     * @param iterable<string> $body
     *
     * @return array{string, string} Content-Type, and the body
     */
    abstract public static function answer(string $path, array $query, iterable $body = []): array;

    /** Answers PHP's own request. */
    public static function send(): void
    {
        $uri = is_string($_SERVER['REQUEST_URI'] ?? null) ? $_SERVER['REQUEST_URI'] : '/';
        [$type, $text] = static::answer(explode('?', $uri, 2)[0], $_GET, self::input());
        header("Content-Type: $type");
        echo $text;
    }

    /** Persistent: who boots for each request would otherwise connect for each. */
    protected static function connect(string $at): PDO
    {
        return new PDO("pgsql:host=$at;user=postgres", options: [
            PDO::ATTR_PERSISTENT => true,
            PDO::ATTR_EMULATE_PREPARES => false,
            PDO::ATTR_DEFAULT_FETCH_MODE => PDO::FETCH_ASSOC,
        ]);
    }

    /** @param array<mixed> $query */
    protected static function text(array $query, string $name): string
    {
        return is_string($query[$name] ?? null) ? $query[$name] : '';
    }

    /** @return iterable<string> in pieces, each read when it is asked for */
    private static function input(): iterable
    {
        $input = fopen('php://input', 'r');
        while ($input !== false && !feof($input)) {
            yield (string) fread($input, 65536);
        }
    }
}
