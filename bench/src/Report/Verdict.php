<?php

declare(strict_types=1);

namespace Howdah\Bench\Report;

/** What became of a goal. It is told, and fails nothing: speed is the machine's affair too. */
final readonly class Verdict
{
    private function __construct(
        public string $goal,
        public string $bound,
        public ?Series $measured,
        private bool $met,
        public ?string $refusal,
    ) {
    }

    public static function of(string $goal, string $bound, Series $measured, bool $met): self
    {
        return new self($goal, $bound, $measured, $met, null);
    }

    /** There is no figure that could be believed. */
    public static function refused(string $goal, string $bound, string $reason): self
    {
        return new self($goal, $bound, null, false, $reason);
    }

    public function word(): string
    {
        return $this->measured === null ? "refused: $this->refusal" : ($this->met ? 'met' : 'not met');
    }
}
