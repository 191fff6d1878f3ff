<?php

declare(strict_types=1);

namespace Howdah\Bench\Rules;

use Closure;
use Howdah\Bench\Load\Answer;

/** HttpArena's rules, as the validation pages of its profiles have them. Its values are not those that are measured with. */
final readonly class HttpArena implements Rules
{
    private const PLAIN = 'text/plain';
    private const JSON = 'application/json';

    /** Count and factor. */
    private const ITEMS = [12 => 3, 22 => 7, 31 => 2, 50 => 5];

    /** Least price, highest, and how many. */
    private const RANGES = [[5, 80, 7], [20, 150, 18], [100, 400, 33], [10, 50, 50]];

    /** @param list<Closure(Asking): void> $checks */
    private function __construct(private array $checks)
    {
    }

    /** @param string $path with ?, or the beginning of a query */
    public static function baseline(string $path): self
    {
        return new self([static fn (Asking $asking) => self::sums($asking, $path)]);
    }

    /** @param string $path with %d for the count */
    public static function json(string $path): self
    {
        return new self([static fn (Asking $asking) => self::items($asking, $path)]);
    }

    /** @param string $path to which the query is added */
    public static function database(string $path): self
    {
        return new self([static fn (Asking $asking) => self::rows($asking, $path)]);
    }

    /** @param list<int<1, max>> $sizes bytes */
    public static function upload(string $path, array $sizes): self
    {
        return new self([static fn (Asking $asking) => self::bodies($asking, $path, $sizes)]);
    }

    /** All of them. */
    public static function together(self ...$rules): self
    {
        return new self(array_merge(...array_map(static fn (self $one): array => $one->checks, array_values($rules))));
    }

    public function verify(Asking $asking): void
    {
        foreach ($this->checks as $check) {
            $check($asking);
        }
    }

    private static function sums(Asking $asking, string $path): void
    {
        $usual = "{$path}a=13&b=42";
        [$a, $b, $body, $other] = [random_int(100, 999), random_int(100, 999), random_int(100, 999), random_int(1000, 9999)];
        self::says($asking, $usual, $asking->for($usual), '55');
        self::says($asking, $usual, $asking->for($usual, '20'), '75');
        self::says($asking, $usual, $asking->inParts($usual, [Answer::request($usual, '20', chunked: true)]), '75');
        self::says($asking, "{$path}a=$a&b=$b", $asking->for("{$path}a=$a&b=$b"), (string) ($a + $b));
        self::says($asking, $usual, $asking->for($usual, (string) $body), (string) (55 + $body));
        self::says($asking, $usual, $asking->for($usual, (string) $other), (string) (55 + $other));

        // What comes in parts is put together.
        $get = Answer::request($usual);
        $post = Answer::request($usual, '20');
        $line = (int) strpos($get, 'line11?') + 1;
        self::says($asking, $usual, $asking->inParts($usual, [substr($get, 0, $line), substr($get, $line)]), '55');
        $lines = preg_split('/(?<=\n)/', $get, -1, PREG_SPLIT_NO_EMPTY) ?: [];
        self::says($asking, $usual, $asking->inParts($usual, $lines), '55');
        self::says($asking, $usual, $asking->inParts($usual, [substr($post, 0, -2), '20']), '75');
        self::says($asking, $usual, $asking->inParts($usual, [substr($post, 0, -2), '2', '0']), '75');
    }

    private static function items(Asking $asking, string $path): void
    {
        foreach (self::ITEMS as $count => $times) {
            $asked = sprintf($path, $count) . "?m=$times";
            foreach (self::listed($asking, $asked, $count) as $number => $item) {
                $price = $item['price'] ?? null;
                $quantity = $item['quantity'] ?? null;
                $total = is_int($price) && is_int($quantity) ? $price * $quantity * $times : null;
                $asking->demand(($item['id'] ?? null) === $number + 1, $asked, "item $number is not the dataset's");
                $asking->demand($total !== null && ($item['total'] ?? null) === $total, $asked, "total of $number is wrong");
            }
        }
    }

    private static function rows(Asking $asking, string $path): void
    {
        foreach (self::RANGES as [$least, $most, $limit]) {
            $asked = "{$path}min=$least&max=$most&limit=$limit";
            foreach (self::listed($asking, $asked, $limit) as $item) {
                $price = $item['price'] ?? null;
                $rating = $item['rating'] ?? null;
                $asking->demand(is_int($price) && $price >= $least && $price <= $most, $asked, 'a price is out of range');
                $asking->demand(is_array($rating) && is_int($rating['score'] ?? null), $asked, 'an item has no rating.score');
                $tags = $item['tags'] ?? null;
                $asking->demand(is_array($tags) && array_is_list($tags), $asked, 'the tags of an item are no list');
                $asking->demand(is_bool($item['active'] ?? null), $asked, 'an item is not active: true or false');
            }
        }
        self::listed($asking, "{$path}min=9999&max=9999&limit=50", 0);
    }

    /** @param list<int<1, max>> $sizes */
    private static function bodies(Asking $asking, string $path, array $sizes): void
    {
        foreach (['Hello, HttpArena!', base64_encode(random_bytes(36)), ...array_map(random_bytes(...), $sizes)] as $body) {
            self::says($asking, $path, $asking->for($path, $body), (string) strlen($body));
        }
        // Theirs finds who answers with Content-Length by a random body only; where there is none, it cannot be told.
        $body = base64_encode(random_bytes(36));
        $chunked = $asking->inParts($path, [Answer::request($path, $body, chunked: true)]);
        self::says($asking, $path, $chunked, (string) strlen($body));
    }

    private static function says(Asking $asking, string $path, Answer $answer, string $expected): void
    {
        self::typed($asking, $path, $answer, self::PLAIN);
        $asking->demand(trim($answer->body) === $expected, $path, "\"$answer->body\", and not $expected");
    }

    private static function typed(Asking $asking, string $path, Answer $answer, string $type): void
    {
        $seen = $answer->headers['content-type'] ?? 'missing';
        $asking->demand(explode(';', $seen)[0] === $type, $path, "Content-Type is $seen");
    }

    /** @return list<array<mixed>> */
    private static function listed(Asking $asking, string $path, int $count): array
    {
        $answer = $asking->for($path);
        self::typed($asking, $path, $answer, self::JSON);
        $value = $asking->json($path, $answer->body);
        $items = is_array($value) ? $value['items'] ?? null : null;
        $items = is_array($items) ? array_values(array_filter($items, is_array(...))) : [];
        $asking->demand(count($items) === $count, $path, count($items) . " items, and not $count");
        $asking->demand(is_array($value) && ($value['count'] ?? null) === $count, $path, "count is not $count");

        return $items;
    }
}
