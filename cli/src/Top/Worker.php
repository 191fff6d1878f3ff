<?php

declare(strict_types=1);

namespace Howdah\Cli\Top;

use Howdah\Cli\Control\ProcessStat;

/** A worker process, and the requests that it has told of. */
final readonly class Worker
{
    /**
     * @param int           $active   requests that it has
     * @param bool          $answers  it was asked, and has told of all of them
     * @param float         $deaf     for so many seconds it has heard of nobody; 0: it hears
     * @param float         $age      so many seconds ago it told what it does not tell now
     * @param int           $more     requests for which there was no room
     * @param int           $brief    requests for whose backtrace there was none
     * @param list<Request> $requests
     */
    public function __construct(
        public int $server,
        public int $pid,
        public int $active,
        public bool $answers,
        public float $deaf,
        public float $age,
        public int $more,
        public array $requests,
        public int $brief = 0,
    ) {
    }

    /** What is to be said of it beside its requests; null: nothing. */
    public function remark(): ?string
    {
        if ($this->answers) {
            return match (true) {
                $this->more > 0 => "worker {$this->pid} has {$this->more} more requests than it has room to tell of",
                $this->brief > 0 => "worker {$this->pid} has no room for the backtraces of {$this->brief} of its requests",
                default => null,
            };
        }
        $known = count($this->requests);
        $unknown = $this->active > $known ? ', and ' . ($this->active - $known) . ' more requests that it has not told of' : '';
        $state = ProcessStat::stateOf($this->pid);
        $held = sprintf('for %.1f s it is in one call of C code, or stopped', $this->deaf);
        $why = $this->deaf > 0.0 ? $held : 'it is stopped, or slow';
        $others = $known > 1 ? sprintf('; its other requests are as they were %.1f s ago', $this->age) : '';

        return "worker {$this->pid} has not answered: $why (process state $state)$others$unknown";
    }

    /** @return array<string, mixed> for programs */
    public function toArray(): array
    {
        return [
            'server' => $this->server,
            'pid' => $this->pid,
            'requests' => $this->active,
            'answers' => $this->answers,
            'deaf_seconds' => $this->answers ? 0.0 : $this->deaf,
            'told_seconds_ago' => $this->answers ? 0.0 : $this->age,
            'not_listed' => max($this->more, $this->active - count($this->requests), 0),
            'without_stack' => $this->brief,
            'process_state' => ProcessStat::stateOf($this->pid),
        ];
    }
}
