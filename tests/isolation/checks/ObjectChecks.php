<?php

/**
 * Values that refer to each other: references, weak maps, identities, enums, cycles, constants that are computed once.
 */

declare(strict_types=1);

namespace Howdah\Tests\Isolation;

use ArrayIterator;
use Closure;
use Generator;
use Random\Engine;
use Random\Engine\Mt19937;
use Random\Engine\PcgOneseq128XslRr64;
use Random\Engine\Xoshiro256StarStar;
use ReflectionReference;
use stdClass;
use WeakMap;
use WeakReference;

enum Suit: string
{
    case Hearts = 'h';
    case Spades = 's';

    public const WILD = self::Spades;

    public static function remember(?string $value = null): ?string
    {
        static $kept = null;
        if ($value !== null) {
            $kept = $value;
        }

        return is_string($kept) ? $kept : null;
    }

    public function label(): string
    {
        return $this->name . strlen($this->value) . self::WILD->name;
    }
}

/**
 * Computed when they are first used, of a constant that each realm defines for itself; code is shared, the results are not.
 */
final class Computed
{
    public const VALUE = 'constant.' . \HOWDAH_COMPUTED; // @phpstan-ignore constant.notFound, binaryOp.invalid

    public static string $static = 'static.' . \HOWDAH_COMPUTED; // @phpstan-ignore constant.notFound, binaryOp.invalid

    public string $property = 'property.' . \HOWDAH_COMPUTED; // @phpstan-ignore constant.notFound, binaryOp.invalid

    // @phpstan-ignore constant.notFound, binaryOp.invalid
    public function default(string $value = 'default.' . \HOWDAH_COMPUTED): string
    {
        return $value;
    }
}

/**
 * @phpstan-import-type Check from Checks
 */
final class ObjectChecks implements Checks
{
    public function __construct(private readonly Probe $probe)
    {
    }

    public function checks(): array
    {
        return [
            'reference' => $this->reference(),
            'weak map' => $this->weakMap(),
            'object id' => $this->objectId(),
            'random engine' => $this->randomEngine(),
            'enum' => $this->enum(),
            'computed constants' => $this->computed(),
            'cycle' => $this->cycle(),
            'iterator' => $this->iterator(),
        ];
    }

    /** @return Check */
    private function reference(): Generator
    {
        $count = 0;
        $values = ['own' => &$count, 'other' => $this->probe->mark('other')];
        $copy = $values;
        $id = ReflectionReference::fromArrayElement($values, 'own')?->getId();
        $step = static function (int &$number): void {
            ++$number;
        };
        yield function () use (&$count, $values, $copy, $id, $step): array {
            $expected = $count + 1;
            $step($values['own']);

            return [
                'through the copy' => [$expected, $copy['own']],
                'itself' => [$expected, $count],
                'beside it' => [$this->probe->mark('other'), $copy['other']],
                'identity' => [$id, ReflectionReference::fromArrayElement($copy, 'own')?->getId()],
            ];
        };
    }

    /** @return Check */
    private function weakMap(): Generator
    {
        $kept = (object) ['mark' => $this->probe->mark('kept')];
        /** @var WeakMap<object, string> $map */
        $map = new WeakMap();
        $map[$kept] = $this->probe->mark('value');
        $reference = WeakReference::create($kept);
        yield function () use ($kept, $map, $reference): array {
            $gone = new stdClass();
            $map[$gone] = 'gone';
            $both = count($map);
            $other = WeakReference::create($gone);
            $gone = null;

            return [
                'both' => [2, $both],
                'one' => [1, count($map)],
                'value' => [$this->probe->mark('value'), $map[$kept]],
                'alive' => [$kept, $reference->get()],
                'dead' => [null, $other->get()],
                'the same reference' => [$reference, WeakReference::create($kept)],
            ];
        };
    }

    /** @return Check */
    private function objectId(): Generator
    {
        $objects = [new stdClass(), new stdClass(), new stdClass()];
        $ids = array_map(spl_object_id(...), $objects);
        yield static function () use ($objects, $ids): array {
            $freed = new stdClass();
            $id = [spl_object_id($freed), spl_object_hash($freed)];
            $freed = null;
            $next = new stdClass();

            return [
                'kept' => [$ids, array_map(spl_object_id(...), $objects)],
                'used again' => [$id, [spl_object_id($next), spl_object_hash($next)]],
            ];
        };
    }

    /** @return Check */
    private function randomEngine(): Generator
    {
        $seed = $this->probe->number('engine', 1 << 30);
        $engine = $this->probe->choose('class', [
            new Mt19937($seed),
            new PcgOneseq128XslRr64($seed),
            new Xoshiro256StarStar($seed),
        ]);
        $twin = clone $engine;
        $next = static fn (Engine $engine): string => bin2hex($engine->generate());
        $expected = [$next($twin), $next($twin), $next($twin)];
        yield static function () use ($engine, $next, &$expected): array {
            return ['number' => [array_shift($expected), $next($engine)]];
        };
    }

    /** @return Check */
    private function enum(): Generator
    {
        $case = $this->probe->choose('case', Suit::cases());
        $map = new WeakMap();
        $map[$case] = $this->probe->mark('case');
        Suit::remember($this->probe->mark('enum'));
        yield fn (): array => [
            'identity' => [$case, Suit::from($case->value)],
            'by name' => [$case, constant(Suit::class . "::{$case->name}")],
            'unserialized' => [$case, unserialize(serialize($case))],
            'label' => ["{$case->name}1Spades", $case->label()],
            'static' => [$this->probe->mark('enum'), Suit::remember()],
            'as a key' => [$this->probe->mark('case'), $map[$case]],
        ];
    }

    /** @return Check */
    private function computed(): Generator
    {
        if (!defined('HOWDAH_COMPUTED')) {
            define('HOWDAH_COMPUTED', $this->probe->mark('computed'));
            Declared::$values['HOWDAH_COMPUTED'] = $this->probe->mark('computed');
        }
        $expected = Declared::$values['HOWDAH_COMPUTED'] ?? '';
        Computed::$static = "{$this->probe->id}." . Computed::VALUE;
        yield fn (): array => [
            'constant' => ["constant.{$expected}", Computed::VALUE],
            'static' => ["{$this->probe->id}.constant.{$expected}", Computed::$static],
            'property' => ["property.{$expected}", (new Computed())->property],
            'default' => ["default.{$expected}", (new Computed())->default()],
        ];
    }

    /** @return Check */
    private function cycle(): Generator
    {
        $collected = [];
        yield function () use (&$collected): array {
            $collected = [];
            $node = new class (function () use (&$collected): void {
                $this->probe->pause();
                $collected[] = $this->probe->mark('node');
            }) {
                public ?object $self = null;

                public function __construct(private readonly Closure $destroyed)
                {
                    $this->self = $this;
                }

                public function __destruct()
                {
                    ($this->destroyed)();
                }
            };
            $runs = gc_status()['runs'];
            unset($node);
            gc_collect_cycles();

            return [
                'destroyed' => [[$this->probe->mark('node')], $collected],
                'runs' => [true, gc_status()['runs'] > $runs],
            ];
        };
    }

    /** @return Check */
    private function iterator(): Generator
    {
        $marks = array_map(fn (int $i): string => $this->probe->mark("item{$i}"), range(0, 5));
        $iterator = new ArrayIterator($marks);
        $outer = (static fn (): Generator => yield from $iterator)();
        $array = $marks;
        reset($array);
        $next = 0;
        yield static function () use ($outer, $marks, &$array, &$next): array {
            $pairs = ['outer' => [$marks[$next], $outer->current()], 'array' => [$marks[$next], current($array)]];
            $outer->next();
            next($array);
            ++$next;

            return $pairs;
        };
    }
}
