<?php

/**
 * Waits in places where PHP itself is half way through something: a sort, a match, a generator, a fiber.
 */

declare(strict_types=1);

namespace Howdah\Tests\Isolation;

use Fiber;
use Generator;

/**
 * @phpstan-import-type Check from Probe
 */
final class CallbackChecks
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
            'preg_replace_callback' => $this->replace(),
            'generator' => $this->generator(),
            'fiber' => $this->fiber(),
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
        $fiber = new Fiber(function (string $first): string {
            $this->probe->pause();
            $second = Fiber::suspend($first);

            return "{$first} {$second}";
        });
        $given = $fiber->start($this->probe->mark('fiber'));
        yield fn (): array => [
            'suspended' => [true, $fiber->isSuspended()],
            'gave' => [$this->probe->mark('fiber'), $given],
            'outside' => [null, Fiber::getCurrent()],
        ];
        $fiber->resume($this->probe->mark('resumed'));
        yield fn (): array => [
            'returned' => [$this->probe->mark('fiber') . ' ' . $this->probe->mark('resumed'), $fiber->getReturn()],
        ];
    }
}
