<?php

declare(strict_types=1);

namespace Howdah\Cli\Audit;

use JsonSerializable;

/** An audit's outcome. */
final readonly class Audit implements JsonSerializable
{
    /**
     * @param string       $ended   "done", "time" or "stopped"
     * @param list<string> $crashes of workers: by which signal, and what they ran
     * @param Rewind|null  $rewind  null: nobody has asked
     */
    public function __construct(
        public Tally $tally,
        public Report $report,
        public int $seed,
        public string $ended,
        public array $crashes,
        public ?Rewind $rewind = null,
    ) {
    }

    public function isClean(): bool
    {
        return $this->report->unexplained + $this->report->lost === 0 && $this->crashes === []
            && $this->rewind?->works() !== false;
    }

    public function sentence(): string
    {
        $count = static fn (int $number, string $one): string => $number === 1 ? "1 $one" : "$number {$one}s";
        $sentence = sprintf(
            '%s in %s to %s',
            $count($this->report->unexplained + $this->report->lost, 'unexplained word'),
            $count($this->tally->requests, 'request'),
            $count($this->tally->pages(), 'page'),
        );

        return "$sentence; {$this->report->shared} shared on purpose"
            . match (count($this->crashes)) {
                0 => '',
                1 => '; a worker crashed',
                default => '; ' . count($this->crashes) . ' workers crashed',
            }
            . match ($this->rewind?->works()) {
                null => '',
                true => '; rewound',
                false => '; not rewound',
            };
    }

    /** @return array<string, mixed> */
    public function jsonSerialize(): array
    {
        return [
            'clean' => $this->isClean(),
            'unexplained_words' => $this->report->unexplained,
            'shared_words' => $this->report->shared,
            'lost_words' => $this->report->lost,
            'looks' => $this->report->looks,
            'compared_bytes' => $this->report->comparedBytes,
            'requests' => $this->tally->requests,
            'pages' => $this->tally->pages(),
            'realms' => $this->tally->realms(),
            'statuses' => (object) $this->tally->statuses,
            'failed' => $this->tally->failed(),
            'failures' => $this->tally->examples(),
            'crashes' => $this->crashes,
            'rewind' => $this->rewind,
            'seed' => $this->seed,
            'ended' => $this->ended,
            'findings' => [...$this->report->unexplainedFindings(), ...$this->report->sharedFindings()],
        ];
    }
}
