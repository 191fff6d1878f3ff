<?php

declare(strict_types=1);

namespace Howdah\Cli\Top;

/** The place in a worker's area where it is told which of its requests are to end. nginx/top.h has the layout. */
final readonly class Orders
{
    /** Numbers from the area's beginning on: how many were given, how many were obeyed, ROOM orders, what became of them. */
    private const GIVEN = 88;
    private const ORDERS = 104;
    private const RESULTS = 232;
    private const ROOM = 16;

    /** @param int $area where it begins */
    public function __construct(private Memory $memory, private int $area)
    {
    }

    /** Waits so long for the worker; after that the order still stands. */
    public function end(int $number, float $patience): Ending
    {
        $until = microtime(true) + $patience;
        while (!$this->memory->lock()) {
            if (microtime(true) >= $until) {
                return Ending::Refused;
            }
            usleep(2_000);
        }
        try {
            $order = $this->give($number);
        } finally {
            $this->memory->unlock();
        }
        if ($order === null) {
            return Ending::Refused;
        }
        while ($this->state()[1] <= $order) {
            if (microtime(true) >= $until) {
                return Ending::Unheard;
            }
            usleep(5_000);
        }

        return Ending::tryFrom($this->memory->numbersAt($this->placeOf(self::RESULTS, $order), 1)[0]) ?? Ending::Gone;
    }

    /** Which one it is; null: there is no room for it. */
    private function give(int $number): ?int
    {
        [$given, $obeyed] = $this->state();
        if ($given - $obeyed >= self::ROOM) {
            return null;
        }
        $this->memory->write($this->placeOf(self::ORDERS, $given), $number);
        $this->memory->write($this->area + self::GIVEN, $given + 1);

        return $given;
    }

    /** @return array<int, int> given, obeyed */
    private function state(): array
    {
        return $this->memory->numbersAt($this->area + self::GIVEN, 2);
    }

    private function placeOf(int $list, int $order): int
    {
        return $this->area + $list + 8 * ($order % self::ROOM);
    }
}
