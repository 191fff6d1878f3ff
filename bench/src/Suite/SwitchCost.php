<?php

declare(strict_types=1);

namespace Howdah\Bench\Suite;

use Howdah\Bench\Report\Goal;
use Howdah\Bench\Report\Metric;
use Howdah\Bench\Report\Result;
use Howdah\Bench\Report\Samples;
use Howdah\Cli\Failure;
use Howdah\Cli\Program;

/** What a switch from one realm to another costs: both copies of state and the stacks. A program of its own measures it. */
final readonly class SwitchCost implements Suite
{
    private const BOUND_NS = 1500;

    private const BETWEEN_TWO = 'one realm after the other, of two';

    public function __construct(private string $name, private string $program)
    {
    }

    public function name(): string
    {
        return $this->name;
    }

    public function title(): string
    {
        return 'what it costs to let another realm go on';
    }

    public function run(Run $run): Result
    {
        $samples = new Samples();
        for ($round = 1; $round <= $run->rounds; $round++) {
            $run->tell("$this->name, round $round of $run->rounds");
            foreach ($this->measure() as $what => $nanoseconds) {
                $samples->add($what, Metric::SwitchCost, $nanoseconds);
            }
        }

        return Result::of($this->name, $this->title(), $samples, [
            Goal::below(self::BOUND_NS, 'a switch between two realms, ns', Metric::SwitchCost, self::BETWEEN_TWO),
        ]);
    }

    /** @return array<string, float> nanoseconds of a switch */
    private function measure(): array
    {
        $told = Program::run([$this->program]);
        $switches = json_decode($told->output, true);
        if ($told->status !== 0 || !is_array($switches) || !isset($switches[self::BETWEEN_TWO])) {
            throw new Failure("$this->program ended with exit status $told->status: $told->output $told->errors");
        }

        /** @var array<string, int> $switches */
        return array_map(floatval(...), $switches);
    }
}
