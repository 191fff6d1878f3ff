<?php

declare(strict_types=1);

namespace Howdah\Bench\App\Arena;

use PDO;
use PDOStatement;

/** TechEmpower's tests in plain PHP with PDO: ?at= names PostgreSQL's folder. */
final class TechEmpower extends Entry
{
    private const ROWS = 10_000;
    private const MOST = 500;
    private const ADDED = 'Additional fortune added at request time.';

    private const SELECT = 'SELECT id, randomnumber AS "randomNumber" FROM world WHERE id = ';

    private static ?PDO $connection = null;
    private static ?PDOStatement $read = null;
    private static ?PDOStatement $write = null;

    public static function answer(string $path, array $query, iterable $body = []): array
    {
        $at = self::text($query, 'at');
        $queries = min(self::MOST, max(1, (int) self::text($query, 'queries')));

        return match ($path) {
            '/json' => [self::JSON, self::json(['message' => 'Hello, World!'])],
            '/plaintext' => [self::PLAIN, 'Hello, World!'],
            '/db' => [self::JSON, self::json(self::one($at))],
            '/queries' => [self::JSON, self::json(self::several($at, $queries, false))],
            '/updates' => [self::JSON, self::json(self::several($at, $queries, true))],
            '/fortunes' => ['text/html; charset=utf-8', self::fortunes($at)],
            default => [self::PLAIN, 'There is no such test.'],
        };
    }

    private static function json(mixed $value): string
    {
        return json_encode($value, JSON_THROW_ON_ERROR);
    }

    private static function database(string $at): PDO
    {
        return self::$connection ??= self::connect($at);
    }

    private static function one(string $at): mixed
    {
        $statement = self::database($at)->query(self::SELECT . self::draw());

        return $statement === false ? null : $statement->fetch();
    }

    /** @return list<mixed> */
    private static function several(string $at, int $queries, bool $written): array
    {
        self::$read ??= self::database($at)->prepare(self::SELECT . '?');
        $worlds = [];
        while ($queries-- > 0) {
            self::$read->execute([self::draw()]);
            $world = self::$read->fetch();
            if ($written && is_array($world)) {
                self::$write ??= self::database($at)->prepare('UPDATE world SET randomnumber = ? WHERE id = ?');
                $world['randomNumber'] = self::draw();
                self::$write->execute([$world['randomNumber'], $world['id']]);
            }
            $worlds[] = $world;
        }

        return $worlds;
    }

    private static function fortunes(string $at): string
    {
        $statement = self::database($at)->query('SELECT id, message FROM fortune');
        /** @var array<int, string> $fortunes */
        $fortunes = $statement === false ? [] : $statement->fetchAll(PDO::FETCH_KEY_PAIR);
        $fortunes[0] = self::ADDED;
        asort($fortunes);
        $page = '<!DOCTYPE html><html><head><title>Fortunes</title></head><body><table><tr><th>id</th><th>message</th></tr>';
        foreach ($fortunes as $id => $message) {
            $page .= "<tr><td>$id</td><td>" . htmlspecialchars($message, ENT_QUOTES) . '</td></tr>';
        }

        return "$page</table></body></html>";
    }

    private static function draw(): int
    {
        return mt_rand(1, self::ROWS);
    }
}
