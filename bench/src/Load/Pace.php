<?php

declare(strict_types=1);

namespace Howdah\Bench\Load;

/**
 * A constant rate as h2load makes it: so many clients, begun evenly within a second, each asking once a second from then on.
 *
 * With an interval longer than any latency that is judged, no client is late because it still waits for an answer.
 */
final readonly class Pace
{
    /** h2load begins clients each so many milliseconds, a whole number, and each time as many: how far off is good enough. */
    private const TOLERANCE = 0.02;

    private function __construct(
        /** Requests a second that are made. */
        public float $rate,
        public int $clients,
        /** Clients that are begun at a time. */
        public int $batch,
        public int $period_ms,
    ) {
    }

    /** The nearest that can be made; h2load cannot go slower than one request a second. */
    public static function of(float $wanted): self
    {
        $wanted = max(1.0, $wanted);
        $period = 0;
        do {
            $batch = max(1, (int) round($wanted * ++$period / 1000));
            $rate = $batch * 1000 / $period;
        } while (abs($rate / $wanted - 1) > self::TOLERANCE);

        return new self($rate, max(1, (int) round($rate)), $batch, $period);
    }

    /** Requests of each client a second: 1, but for rounding. */
    public function perClient(): float
    {
        return $this->rate / $this->clients;
    }

    public function requests(float $seconds): int
    {
        return max($this->clients, (int) round($this->rate * $seconds));
    }
}
