<?php

declare(strict_types=1);

namespace Howdah\Bench\Report;

/** What became of a goal. It is told, and fails nothing: speed is the machine's affair too. */
final readonly class Verdict
{
    public function __construct(
        public string $goal,
        public Series $measured,
        public string $bound,
        public bool $met,
    ) {
    }

    public function word(): string
    {
        return $this->met ? 'met' : 'not met';
    }
}
