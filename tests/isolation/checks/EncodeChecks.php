<?php

/**
 * Values on their way to text and back, with a wait in the middle of the way.
 */

declare(strict_types=1);

namespace Howdah\Tests\Isolation;

use Generator;
use JsonSerializable;
use Stringable;

/**
 * Waits each time that it is turned into something else, or back.
 */
final class PausingValue implements JsonSerializable, Stringable
{
    /** @var array<string, Probe> by mark: a probe cannot be serialized */
    public static array $probes = [];

    public ?PausingValue $other = null;

    public function __construct(public string $mark)
    {
    }

    /** @return array<string, mixed> */
    public function __serialize(): array
    {
        $this->pause();

        return ['mark' => $this->mark, 'other' => $this->other];
    }

    /** @param array<string, mixed> $data */
    public function __unserialize(array $data): void
    {
        $this->mark = is_string($data['mark']) ? $data['mark'] : '';
        $this->other = $data['other'] instanceof self ? $data['other'] : null;
        $this->pause();
    }

    public function jsonSerialize(): mixed
    {
        $this->pause();

        return ['mark' => json_decode((string) json_encode($this->mark)), 'other' => $this->other];
    }

    public function __toString(): string
    {
        $this->pause();

        return $this->mark;
    }

    /** @return array<string, mixed> */
    public function __debugInfo(): array
    {
        $this->pause();

        return ['mark' => $this->mark];
    }

    private function pause(): void
    {
        self::$probes[$this->mark]->pause();
    }
}

/**
 * The older protocol, which msgpack has.
 */
final class PausingSleeper
{
    public mixed $first = null;

    public mixed $second = null;

    public function __construct(public string $mark)
    {
    }

    /** @return list<string> */
    public function __sleep(): array
    {
        PausingValue::$probes[$this->mark]->pause();

        return ['mark', 'first', 'second'];
    }

    public function __wakeup(): void
    {
        PausingValue::$probes[$this->mark]->pause();
    }
}

/**
 * @phpstan-import-type Check from Checks
 */
final class EncodeChecks implements Checks
{
    public function __construct(private readonly Probe $probe)
    {
    }

    public function checks(): array
    {
        return [
            'serialize' => $this->serialize('serialize', 'unserialize'),
            'json' => $this->json(),
            'text' => $this->text(),
        ]
            + (extension_loaded('igbinary')
                ? ['igbinary' => $this->serialize('igbinary_serialize', 'igbinary_unserialize')] : [])
            + (extension_loaded('msgpack') ? ['msgpack' => $this->msgpack()] : []);
    }

    /**
     * @return Check
     */
    private function serialize(callable $pack, callable $unpack): Generator
    {
        $mark = $this->probe->mark('packed');
        yield function () use ($mark, $pack, $unpack): array {
            PausingValue::$probes[$mark] = $this->probe;
            $first = new PausingValue($mark);
            $first->other = new PausingValue($mark);
            $first->other->other = $first;
            $values = [$first, $first->other, 'again' => $first, 'mark' => $mark];
            $values['reference'] = &$values['mark'];
            $packed = $pack($values);
            $text = is_string($packed) ? $packed : '';
            $read = $unpack($text);
            unset(PausingValue::$probes[$mark]);
            if (!is_array($read) || !$read[0] instanceof PausingValue || !$read[1] instanceof PausingValue) {
                return ['read' => [['objects'], $read]];
            }
            $read['mark'] = 'changed';

            return [
                'mark' => [$mark, $read[0]->mark],
                'same' => [[$read[0], $read[1], $read[0]], [$read['again'], $read[0]->other, $read[1]->other]],
                'reference' => ['changed', $read['reference']],
            ];
        };
    }

    /** @return Check */
    private function json(): Generator
    {
        $mark = $this->probe->mark('json');
        yield function () use ($mark): array {
            PausingValue::$probes[$mark] = $this->probe;
            $value = new PausingValue($mark);
            $value->other = new PausingValue($mark);
            $text = json_encode([$value, $mark], JSON_PRETTY_PRINT);
            $inner = "{\n            \"mark\": \"{$mark}\",\n            \"other\": null\n        }";
            $expected = "[\n    {\n        \"mark\": \"{$mark}\",\n        \"other\": {$inner}\n    },\n    \"{$mark}\"\n]";
            unset(PausingValue::$probes[$mark]);

            return ['text' => [$expected, $text], 'error' => [JSON_ERROR_NONE, json_last_error()]];
        };
    }

    /** @return Check */
    private function text(): Generator
    {
        $mark = $this->probe->mark('text');
        yield function () use ($mark): array {
            PausingValue::$probes[$mark] = $this->probe;
            $value = new PausingValue($mark);
            $exported = print_r([$value], true);
            $pairs = [
                'implode' => ["{$mark},{$mark}", implode(',', [$value, $value])],
                'sprintf' => ["<{$mark}|{$mark}>", sprintf('<%s|%s>', $value, $value)],
                'replace' => ["<{$mark}>", substr_replace('<x>', (string) $value, 1, 1)],
                'print_r' => [1, substr_count($exported, "[mark] => {$mark}\n")],
                'sorted' => [['a', $mark], array_map(strval(...), $this->sorted([$value, 'a']))],
                'unique' => [1, count(array_unique([$value, $value]))],
            ];
            unset(PausingValue::$probes[$mark]);

            return $pairs;
        };
    }

    /**
     * @param list<string|Stringable> $values
     * @return list<string|Stringable>
     */
    private function sorted(array $values): array
    {
        sort($values, SORT_STRING);

        return $values;
    }

    /** @return Check */
    private function msgpack(): Generator
    {
        $mark = $this->probe->mark('msgpack');
        $short = $this->probe->number('str8', 2) === 1;
        $before = (string) ini_set('msgpack.use_str8_serialization', $short ? '1' : '0');
        yield function () use ($mark, $short): array {
            PausingValue::$probes[$mark] = $this->probe;
            $inner = new PausingSleeper($mark);
            $outer = new PausingSleeper($mark);
            $outer->first = $outer->second = $inner;
            $read = msgpack_unpack(msgpack_pack([$outer, $inner, $mark]));
            unset(PausingValue::$probes[$mark]);
            $pairs = ['format' => [$short ? 'd9' : 'da', bin2hex(msgpack_pack(str_repeat('a', 40))[0])]];
            if (!is_array($read) || !$read[0] instanceof PausingSleeper) {
                return $pairs + ['read' => [['objects'], $read]];
            }

            return $pairs + [
                'mark' => [[$mark, $mark], [$read[0]->mark, $read[2]]],
                'same' => [[$read[1], $read[1]], [$read[0]->first, $read[0]->second]],
            ];
        };
        ini_set('msgpack.use_str8_serialization', $before);
    }
}
