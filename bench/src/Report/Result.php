<?php

declare(strict_types=1);

namespace Howdah\Bench\Report;

/** What a suite has found: figures and verdicts, or the reason why there are none. */
final readonly class Result
{
    /**
     * @param list<Verdict> $verdicts
     * @param list<string>  $notes
     */
    private function __construct(
        public string $name,
        public string $title,
        public ?string $failure,
        public ?Samples $samples = null,
        public array $verdicts = [],
        public array $notes = [],
    ) {
    }

    /**
     * @param list<Goal>   $goals
     * @param list<string> $notes
     */
    public static function of(string $name, string $title, Samples $samples, array $goals, array $notes = []): self
    {
        $verdicts = array_map(fn (Goal $goal) => $goal->judge($samples), $goals);

        return new self($name, $title, null, $samples, $verdicts, $notes);
    }

    public static function failed(string $name, string $title, string $reason): self
    {
        return new self($name, $title, $reason);
    }
}
