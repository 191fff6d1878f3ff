<?php

/** A destructor waits: when the last reference goes, and when the collector runs. No limit: a nap has none. */

declare(strict_types=1);

use Howdah\WaitingTests\App\WithoutLimit;

return new class extends WithoutLimit {
    public function wait(float $seconds): mixed
    {
        $told = [];
        $object = $this->object($seconds * 0.95, $told);
        // Not much: destructors run also when the client has gone, and may wait.
        $cycle = $this->object($seconds * 0.05, $told);
        $cycle->self = $cycle;
        unset($object);
        $told[] = 'gone';
        unset($cycle);
        $told[] = gc_collect_cycles() > 0;

        return $told;
    }

    /** @param list<mixed> $told */
    private function object(float $seconds, array &$told): object
    {
        return new class ($seconds, $told) {
            public ?object $self = null;

            /** @param list<mixed> $told */
            public function __construct(private readonly float $seconds, private array &$told)
            {
            }

            public function __destruct()
            {
                usleep((int) ($this->seconds * 1_000_000));
                $this->told[] = 'destructed';
            }
        };
    }
};
