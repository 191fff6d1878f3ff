<?php

declare(strict_types=1);

namespace Howdah\Bench\Report;

/** What a suite has found: figures and verdicts, or the reason why there are none. */
final readonly class Result
{
    /**
     * @param list<Verdict> $verdicts
     * @param list<string>  $notes
     * @param list<string>  $failures contenders that answered wrongly, did not start, or died: why
     */
    private function __construct(
        public string $name,
        public string $title,
        public ?string $failure,
        public ?Samples $samples = null,
        public array $verdicts = [],
        public array $notes = [],
        public array $failures = [],
    ) {
    }

    /**
     * @param list<Goal>            $goals
     * @param list<string>          $notes
     * @param array<string, string> $unbelieved see Goal::judge()
     * @param list<string>          $failures
     */
    public static function of(
        string $name,
        string $title,
        Samples $samples,
        array $goals,
        array $notes = [],
        array $unbelieved = [],
        array $failures = [],
    ): self {
        $verdicts = array_map(fn (Goal $goal) => $goal->judge($samples, $unbelieved), $goals);

        return new self($name, $title, null, $samples, $verdicts, $notes, $failures);
    }

    public static function failed(string $name, string $title, string $reason): self
    {
        return new self($name, $title, $reason);
    }

    /** It needs what is not there: told, and no failure. */
    public static function skipped(string $name, string $title, string $reason): self
    {
        return new self($name, $title, null, notes: ["It is skipped: $reason."]);
    }

    /** @param list<string> $notes said first */
    public function noting(array $notes): self
    {
        $notes = [...$notes, ...$this->notes];

        return new self($this->name, $this->title, $this->failure, $this->samples, $this->verdicts, $notes, $this->failures);
    }

    public function hasFailed(): bool
    {
        return $this->failure !== null || $this->failures !== [];
    }
}
