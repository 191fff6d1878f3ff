<?php

declare(strict_types=1);

namespace Howdah\Bench\App\Arena;

use PDO;
use PDOStatement;

/** HttpArena's endpoints in plain PHP with PDO: ?at= names PostgreSQL's folder. */
final class HttpArena extends Entry
{
    private const MOST = 50;
    private const SELECT = 'SELECT id, name, category, price, quantity, active, tags, rating_score, rating_count FROM items'
        . ' WHERE price BETWEEN ? AND ? LIMIT ?';

    private static ?PDO $connection = null;
    private static ?PDOStatement $select = null;

    /** @var list<array{price: int, quantity: int}>|null */
    private static ?array $items = null;

    public static function answer(string $path, array $query, iterable $body = []): array
    {
        return match (explode('/', $path)[1] ?? '') {
            'baseline11' => [self::PLAIN, (string) self::sum($query, $body)],
            'json' => [self::JSON, self::json((int) basename($path), self::number($query, 'm', 1))],
            'async-db' => [self::JSON, self::rows($query)],
            'upload' => [self::PLAIN, (string) self::length($body)],
            default => [self::PLAIN, 'There is no such endpoint.'],
        };
    }

    /**
     * @param array<mixed>     $query
     * @param iterable<string> $body
     */
    private static function sum(array $query, iterable $body): int
    {
        $text = '';
        foreach ($body as $part) {
            $text .= $part;
        }

        return self::number($query, 'a', 0) + self::number($query, 'b', 0) + (int) $text;
    }

    private static function json(int $count, int $times): string
    {
        if (self::$items === null) {
            /** @var list<array{price: int, quantity: int}> $all */
            $all = require __DIR__ . '/items.php';
            self::$items = $all;
        }
        $items = [];
        foreach (array_slice(self::$items, 0, max(1, min(self::MOST, $count))) as $item) {
            $items[] = $item + ['total' => $item['price'] * $item['quantity'] * $times];
        }

        return self::listed($items);
    }

    /** @param array<mixed> $query */
    private static function rows(array $query): string
    {
        self::$connection ??= self::connect(self::text($query, 'at'));
        self::$select ??= self::$connection->prepare(self::SELECT);
        $limit = max(1, min(self::MOST, self::number($query, 'limit', self::MOST)));
        self::$select->execute([self::number($query, 'min', 10), self::number($query, 'max', 50), $limit]);
        $items = [];
        /** @var array{tags: string, rating_score: int, rating_count: int} $row */
        foreach (self::$select->fetchAll() as $row) {
            $rating = ['score' => $row['rating_score'], 'count' => $row['rating_count']];
            unset($row['rating_score'], $row['rating_count']);
            $row['tags'] = json_decode($row['tags'], true);
            $row['rating'] = $rating;
            $items[] = $row;
        }

        return self::listed($items);
    }

    /** @param iterable<string> $body */
    private static function length(iterable $body): int
    {
        $bytes = 0;
        foreach ($body as $part) {
            $bytes += strlen($part);
        }

        return $bytes;
    }

    /** @param list<mixed> $items */
    private static function listed(array $items): string
    {
        return json_encode(['items' => $items, 'count' => count($items)], JSON_THROW_ON_ERROR);
    }

    /** @param array<mixed> $query */
    private static function number(array $query, string $name, int $usual): int
    {
        $text = self::text($query, $name);

        return $text === '' ? $usual : (int) $text;
    }
}
