<?php

declare(strict_types=1);

namespace Howdah\Bench\Report;

/** Something measured at several places: what the axes are. A suite has one or more, with a line for each contender. */
final readonly class Curve
{
    public function __construct(
        /** In file names and in results.json. */
        public string $name,
        public string $across,
        public string $up,
    ) {
    }
}
