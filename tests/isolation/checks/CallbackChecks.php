<?php

/**
 * Waits in places where PHP itself is half way through something: a sort, a match, a generator, a fiber.
 */

declare(strict_types=1);

namespace Howdah\Tests\Isolation;

use Fiber;
use Generator;
use Stringable;

/**
 * @phpstan-import-type Check from Checks
 */
final class CallbackChecks implements Checks
{
    public function __construct(private readonly Probe $probe)
    {
    }

    /**
     * @return array<string, Check>
     */
    public function checks(): array
    {
        return [
            'usort' => $this->usort(),
            'array_multisort' => $this->multisort(),
            'preg_replace_callback' => $this->replace(),
            'generator' => $this->generator(),
            'fiber' => $this->fiber(),
            'destructor' => $this->destructor(),
        ];
    }

    /** @return Check */
    private function usort(): Generator
    {
        $values = $expected = array_map(fn (int $i): string => $i . $this->probe->mark('sort'), range(1, 9));
        rsort($values);
        $compared = 0;
        usort($values, function (string $a, string $b) use (&$compared): int {
            if (++$compared === 3) {
                // A second sort inside the first, with the wait in it: both keep their comparison function in one global.
                $inner = [2, 1];
                usort($inner, function (int $a, int $b): int {
                    $this->probe->pause();

                    return $a <=> $b;
                });
            }

            return $a <=> $b;
        });
        yield static fn (): array => ['result' => [$expected, $values]];
    }

    /** @return Check */
    private function multisort(): Generator
    {
        $expected = array_map(fn (int $i): string => $i . $this->probe->mark('multisort'), range(1, 5));
        $down = $this->probe->number('order', 2) === 1;
        // Compared as text, so that PHP asks the values for theirs while it sorts.
        $waits = 1;
        $values = array_map(fn (string $text): Stringable => new class ($text, $this->probe, $waits) implements Stringable {
            public function __construct(private readonly string $text, private readonly Probe $probe, private int &$waits)
            {
            }

            public function __toString(): string
            {
                if ($this->waits-- > 0) {
                    $this->probe->pause();
                }

                return $this->text;
            }
        }, $down ? $expected : array_reverse($expected));
        array_multisort($values, $down ? SORT_DESC : SORT_ASC, SORT_STRING);
        $sorted = array_map(strval(...), $values);
        yield static fn (): array => ['result' => [$down ? array_reverse($expected) : $expected, $sorted]];
    }

    /** @return Check */
    private function replace(): Generator
    {
        $result = preg_replace_callback(
            '/(?<letter>[a-z])(\d)/',
            function (array $match): string {
                if ($match[2] === '2') {
                    $this->probe->pause();
                }

                return $match['letter'] . $match[2] . $this->probe->mark('match') . ';';
            },
            'a1b2c3',
        );
        $mark = $this->probe->mark('match');
        yield static fn (): array => ['result' => ["a1{$mark};b2{$mark};c3{$mark};", $result]];
    }

    /** @return Check */
    private function generator(): Generator
    {
        $source = (function (): Generator {
            for ($i = 0;; ++$i) {
                yield $i => $this->probe->mark("generator{$i}");
            }
        })();
        $next = 0;
        yield function () use ($source, &$next): array {
            $pair = [$source->key(), $source->current()];
            $expected = [$next, $this->probe->mark("generator{$next}")];
            $source->next();
            ++$next;

            return ['position' => [$expected, $pair]];
        };
    }

    /** @return Check */
    private function fiber(): Generator
    {
        $fiber = new Fiber(function (string $first): array {
            $this->probe->pause();
            $second = Fiber::suspend($first);

            return [$first, $second];
        });
        $given = $fiber->start($this->probe->mark('fiber'));
        yield fn (): array => [
            'suspended' => [true, $fiber->isSuspended()],
            'gave' => [$this->probe->mark('fiber'), $given],
            'outside' => [null, Fiber::getCurrent()],
        ];
        $fiber->resume($this->probe->mark('resumed'));
        yield fn (): array => [
            'returned' => [[$this->probe->mark('fiber'), $this->probe->mark('resumed')], $fiber->getReturn()],
        ];
    }

    /** @return Check */
    private function destructor(): Generator
    {
        // PHP before 8.4 forbids to switch fibers in a destructor, with a counter: other requests start theirs meanwhile.
        $destroyed = 0;
        $object = new class ($this->probe, $destroyed) {
            public function __construct(private readonly Probe $probe, private int &$destroyed)
            {
            }

            public function __destruct()
            {
                $this->probe->pause();
                ++$this->destroyed;
            }
        };
        unset($object);
        yield static function () use (&$destroyed): array {
            return ['destroyed' => [1, $destroyed]];
        };
    }
}
