<?php

declare(strict_types=1);

namespace Howdah\Bench\Report;

/** Something measured at several places: what the axes are. A suite has one or more, with a line for each contender. */
final readonly class Curve
{
    /** @param bool $tabled whether the report has its points as a table, too: they are few */
    public function __construct(
        /** In file names and in results.json. */
        public string $name,
        public string $across,
        public string $up,
        public bool $tabled,
    ) {
    }
}
