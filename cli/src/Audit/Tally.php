<?php

declare(strict_types=1);

namespace Howdah\Cli\Audit;

/** What was asked and answered. */
final class Tally
{
    private const EXAMPLES = 5;

    public int $requests = 0;

    /** Answers of PHP that are no error of the server. */
    public int $answered = 0;

    /** @var array<int, int> answers by status; 0: none came */
    public array $statuses = [];

    /** @var array<string, int> requests whose answer was an error of the server, or that had none, and how many */
    private array $failures = [];

    /** @var array<string, true> */
    private array $pages = [];

    /** @var array<string, true> */
    private array $realms = [];

    public function add(Request $request, Answer $answer): void
    {
        $this->requests++;
        $this->statuses[$answer->status] = 1 + ($this->statuses[$answer->status] ?? 0);
        if ($answer->realm !== null) {
            $this->answered += $answer->status > 0 && $answer->status < 500 ? 1 : 0;
            $this->realms[$answer->realm] = true;
            $this->pages[(string) $request] = true;
        }
        if ($answer->status === 0 || $answer->status >= 500) {
            $what = "$request: " . ($answer->status === 0 ? $answer->error : $answer->status);
            $this->failures[$what] = 1 + ($this->failures[$what] ?? 0);
        }
    }

    public function pages(): int
    {
        return count($this->pages);
    }

    public function realms(): int
    {
        return count($this->realms);
    }

    public function failed(): int
    {
        return array_sum($this->failures);
    }

    /** @return list<string> a few of the requests that failed, the most frequent first */
    public function examples(): array
    {
        arsort($this->failures);
        $examples = [];
        foreach (array_slice($this->failures, 0, self::EXAMPLES) as $what => $times) {
            $examples[] = $times === 1 ? $what : "$what ($times times)";
        }

        return $examples;
    }
}
