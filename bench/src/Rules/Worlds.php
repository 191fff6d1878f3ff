<?php

declare(strict_types=1);

namespace Howdah\Bench\Rules;

/** TechEmpower's tests db, queries and updates. What they warn of is refused here. */
final readonly class Worlds implements Rules
{
    private const LEAST = 1;
    public const MOST = 500;

    /** Rows, and the largest number in one. */
    public const ROWS = 10_000;

    /** Of a request whose statements are counted. */
    private const COUNTED = 20;

    /** How many of 500 numbers are new at least: an id may be drawn twice, a number be the one that was there. */
    private const NEW = 0.9;

    /** What is asked for, and how many there have to be. */
    private const CASES = ['2' => 2, '0' => self::LEAST, 'foo' => self::LEAST, '501' => self::MOST, '' => self::LEAST];

    private function __construct(
        private string $path,
        private Traffic $traffic,
        private bool $several,
        private bool $writes,
    ) {
    }

    public static function one(string $path, Traffic $traffic): self
    {
        return new self($path, $traffic, false, false);
    }

    /** @param string $path to which the number is added */
    public static function several(string $path, Traffic $traffic): self
    {
        return new self($path, $traffic, true, false);
    }

    /** @param string $path to which the number is added */
    public static function written(string $path, Traffic $traffic): self
    {
        return new self($path, $traffic, true, true);
    }

    public function verify(Asking $asking): void
    {
        if (!$this->several) {
            $answer = $asking->for($this->path);
            Headers::Json->verify($asking, $this->path, $answer);
            $this->verifyWorld($asking, $this->path, $asking->json($this->path, $answer->body));
            (new Counted($this->traffic))->verify($asking, $this->path, 1, 1);
            Headers::Json->verifyDate($asking, $this->path);

            return;
        }
        $before = $this->writes ? $this->traffic->contents() : [];
        foreach (self::CASES as $queries => $expected) {
            $this->verifyList($asking, $this->path . $queries, $expected);
        }
        if ($this->writes) {
            $this->verifyNew($asking, $before, $this->traffic->contents());
        }
        $counted = self::COUNTED;
        $path = $this->path . $counted;
        (new Counted($this->traffic))->verify($asking, $path, $counted, $counted, $this->writes ? $counted : 0);
        Headers::Json->verifyDate($asking, $path);
    }

    private function verifyList(Asking $asking, string $path, int $expected): void
    {
        $answer = $asking->for($path);
        Headers::Json->verify($asking, $path, $answer);
        $list = $asking->json($path, $answer->body);
        if (!is_array($list) || !array_is_list($list)) {
            $asking->demand(false, $path, 'the JSON is no list');

            return;
        }
        $asking->demand(count($list) === $expected, $path, count($list) . " worlds, and not $expected");
        foreach ($list as $world) {
            $this->verifyWorld($asking, $path, $world);
        }
    }

    private function verifyWorld(Asking $asking, string $path, mixed $world): void
    {
        if (!is_array($world)) {
            $asking->demand(false, $path, 'a world is no object');

            return;
        }
        $world = array_change_key_case($world);
        $keys = array_keys($world);
        sort($keys);
        $asking->demand($keys === ['id', 'randomnumber'], $path, 'the keys of a world are ' . implode(', ', $keys));
        foreach ($world as $name => $number) {
            $right = is_int($number) && $number >= 1 && $number <= self::ROWS;
            $asking->demand($right, $path, "$name is " . json_encode($number) . ', no number from 1 to ' . self::ROWS);
        }
    }

    /**
     * @param array<int, int> $before
     * @param array<int, int> $after
     */
    private function verifyNew(Asking $asking, array $before, array $after): void
    {
        $new = count(array_diff_assoc($after, $before));
        $expected = (int) (self::MOST * self::NEW);
        $asking->demand($new >= $expected, $this->path, "$new numbers are new in the database, and not $expected");
    }
}
