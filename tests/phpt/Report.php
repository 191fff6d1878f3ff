<?php

declare(strict_types=1);

namespace Howdah\Tests\Phpt;

/** What a run has found, for people and as JSON; and whether it is good. */
final class Report
{
    /**
     * So many unlisted tests of a round may have failed once among others and never again: on another machine others are late.
     * Of 16,000: 0.05 %.
     */
    private const SINGLES = 8;

    /** @var list<string> why the run fails */
    private array $complaints = [];

    /**
     * @param array<string, string> $skipped reasons by test
     * @param list<Comparison>      $comparisons
     * @param ?Audit                $audit what a run under the audit has told
     * @param ?Rewound              $rewound with --rewind
     */
    public function __construct(
        private readonly Reference $reference,
        private readonly array $skipped,
        private readonly array $comparisons,
        private readonly ?Audit $audit,
        private readonly ?Rewound $rewound,
        private readonly Accepted $accepted,
        private readonly Options $options,
        private readonly string $outputs,
    ) {
    }

    public function print(string $php, float $seconds): bool
    {
        printf("\n%s\n", $this->figures($php, $seconds));
        $all = [];
        foreach ($this->comparisons as $comparison) {
            $this->tellDifferences($comparison);
            $all = [...$all, ...$comparison->differences];
        }
        array_push($this->complaints, ...$this->audit?->complaints() ?? [], ...$this->rewound?->complaints() ?? []);
        if ($this->options->isWhole() && ($this->rewound !== null || count($this->comparisons) > 1)) {
            $this->complaints = [...$this->complaints, ...$this->accepted->surplus($all)];
        }
        foreach ($this->comparisons as $comparison) {
            $this->complaints = [...$this->complaints, ...$this->reference->complaints($comparison->round)];
        }
        if ($this->options->isWhole() && $this->reference->isWhole) {
            $this->complaints = [...$this->complaints, ...$this->reference->known->complaints($this->reference->unfit)];
        }
        foreach ($this->complaints as $complaint) {
            echo "FAILED: $complaint\n";
        }

        return $this->complaints === [];
    }

    public function write(string $file): void
    {
        $tests = [];
        foreach ($this->skipped as $name => $reason) {
            $tests[$name] = ['skipped' => $reason];
        }
        $rounds = array_map(static fn (Comparison $one): Round => $one->round, $this->comparisons);
        foreach ([$this->reference->round, ...$rounds] as $round) {
            foreach ($round->outcomes as $name => $outcome) {
                $tests[$name][$round->name] = [
                    'wrong' => $outcome->wrong,
                    'alone' => $outcome->alone === null ? null : $outcome->wrongAlone ?? 'passes',
                    'seconds' => round($outcome->result->seconds, 3),
                ];
            }
        }
        ksort($tests);
        file_put_contents($file, json_encode($tests, JSON_PRETTY_PRINT | JSON_UNESCAPED_SLASHES | JSON_THROW_ON_ERROR) . "\n");
    }

    private function counts(Outcome $outcome): bool
    {
        return $outcome->passesAlone();
    }

    private function figures(string $php, float $seconds): string
    {
        $asked = $this->reference->round->outcomes;
        $run = count($this->comparisons[0]->round->outcomes ?? []) + count($this->reference->unfit);
        $lines = [
            $php,
            sprintf(
                '%6d tests, %d of them not for this machine or for HTTP',
                count($this->skipped) + $run,
                count($this->skipped),
            ),
            sprintf('%6d run, %d at once; %d not for Howdah', $run, $this->options->atOnce, count($this->reference->unfit)),
            sprintf(
                '%6d of the %d that php-fpm was asked of pass there, in %d s',
                count(array_filter($asked, $this->counts(...))),
                count($asked),
                (int) $this->reference->round->seconds,
            ),
        ];
        foreach ($this->comparisons as $comparison) {
            $lines[] = sprintf(
                '%6d pass under %s, in %d s: %d differences, %d more disturb each other under php-fpm, too; %d workers lost',
                $comparison->passed(),
                $comparison->round->name,
                (int) $comparison->round->seconds,
                count($comparison->differences),
                count($comparison->overlaps),
                count($comparison->losses),
            );
        }
        if ($this->audit !== null) {
            $lines[] = '       ' . $this->audit->figures();
        }
        if ($this->rewound !== null) {
            $lines[] = '       ' . $this->rewound->figures();
        }
        $lines[] = sprintf('%6d s in all', (int) $seconds);

        return implode("\n", $lines);
    }

    private function tellDifferences(Comparison $comparison): void
    {
        $singles = [];
        foreach ($comparison->differences as $difference) {
            $reason = $this->accepted->reason($difference);
            $what = "{$difference->name()}, $difference->round: $difference->kind";
            if ($reason !== null) {
                echo "accepted: $what: $reason\n";
                continue;
            }
            $this->keepOutput($difference);
            $what .= ' (' . ($difference->outcome->wrongAlone ?? $difference->outcome->wrong) . ')';
            if ($difference->kind === Difference::ONCE) {
                $singles[] = $what;
                echo "not on the list: $what\n";
            } else {
                $this->complaints[] = $what;
            }
        }
        if (count($singles) > self::SINGLES) {
            $this->complaints = [...$this->complaints, ...$singles];
        }
        foreach ($comparison->losses as $loss) {
            $this->complaints[] = "{$comparison->round->name} has lost a worker: $loss";
        }
        $lost = array_filter($comparison->differences, static fn (Difference $one): bool => $one->kind === Difference::LOST);
        if ($lost !== []) {
            $names = array_map(static fn (Difference $one): string => $one->name(), $lost);
            $this->complaints[] = 'in flight then: ' . implode(', ', $names);
        }
    }

    private function keepOutput(Difference $difference): void
    {
        $outcome = $difference->outcome;
        $file = "$this->outputs/" . strtr(substr($difference->name(), 0, -5), '/', '-') . ".$difference->round";
        $answer = $outcome->alone !== null && $outcome->wrongAlone !== null ? $outcome->alone : $outcome->result->answer;
        file_put_contents("$file.out", "$answer->body\n");
        file_put_contents("$file.exp", $outcome->test->expectation->text() . "\n");
        file_put_contents("$file.met", implode("\n", $outcome->result->neighbours) . "\n");
        if ($this->rewound !== null) {
            file_put_contents("$file.before", implode("\n", $this->rewound->before($difference->name())) . "\n");
        }
    }
}
