<?php

declare(strict_types=1);

namespace Howdah\Bench;

/** What the command line leaves to who runs it, and suites are made with. */
final readonly class Choices
{
    /**
     * @param int   $workers nginx's, where a suite is not about one; php-fpm has as many children as these have realms
     * @param float $rate    requests a second of suites with constant arrival: one that the slowest peer can bear, so that
     *                       latencies are compared; the published table has 1,000, at which everybody here only queues
     * @param bool  $full    what takes long is not left out
     */
    public function __construct(public int $workers = 1, public float $rate = 50.0, public bool $full = false)
    {
    }
}
