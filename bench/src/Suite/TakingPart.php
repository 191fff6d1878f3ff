<?php

declare(strict_types=1);

namespace Howdah\Bench\Suite;

use Closure;
use Howdah\Bench\Load\Contender;
use Howdah\Bench\Load\WrongAnswer;
use Howdah\Bench\Report\Goal;
use Howdah\Bench\Report\Result;
use Howdah\Bench\Report\Samples;
use Howdah\Cli\Failure;

/**
 * Who of a suite's contenders is there and sound. One that is missing on this machine is skipped by name and reason, one that
 * can be compared with nobody is refused; one that does not start, answers wrongly or dies is out, and has no figures; the
 * others go on.
 */
final class TakingPart
{
    /** @var array<string, string> by contender */
    private array $missing = [];

    /** @var array<string, string> by contender */
    private array $refused = [];

    /** @var array<string, string> by contender */
    private array $failed = [];

    public function __construct(private readonly string $suite, private readonly Run $run)
    {
    }

    /**
     * @param list<Contender> $contenders
     *
     * @return list<Contender> those that this machine has
     */
    public function present(array $contenders): array
    {
        foreach ($contenders as $contender) {
            $missing = $contender->missing();
            if ($missing !== null) {
                $this->missing[$contender->name] = $missing;
                $this->run->tell("$this->suite: $contender->name is skipped: $missing");
                continue;
            }
            $refusal = $contender->refusal();
            if ($refusal !== null) {
                $this->refused[$contender->name] = $refusal;
                $this->run->tell("$this->suite: $contender->name is refused: $refusal");
            }
        }

        return $this->sound($contenders);
    }

    /**
     * @param list<Contender> $contenders
     *
     * @return list<Contender> those that serve
     */
    public function start(array $contenders): array
    {
        foreach ($this->present($contenders) as $contender) {
            $this->or($contender, $contender->start(...));
        }

        return $this->sound($contenders);
    }

    /** @param Closure(): void $work after whose failure the contender is out */
    public function or(Contender $contender, Closure $work): void
    {
        try {
            $work();
        } catch (Failure | WrongAnswer $reason) {
            $log = $contender->complaint();
            $told = $reason->getMessage();
            $this->failed[$contender->name] = str_contains($told, $log) ? $told : "$told; $log";
            $this->run->tell("$this->suite: {$this->failed[$contender->name]}");
            $contender->stop();
        }
    }

    /**
     * @param list<Contender> $contenders
     *
     * @return list<Contender>
     */
    public function sound(array $contenders): array
    {
        $out = $this->missing + $this->refused + $this->failed;

        return array_values(array_filter($contenders, fn (Contender $one) => !isset($out[$one->name])));
    }

    /**
     * Figures of those who are sound; ratios with those whose figures are their own.
     *
     * @param list<Goal> $goals
     */
    public function result(string $title, Samples $samples, array $goals): Result
    {
        array_map($samples->drop(...), array_keys($this->failed));
        $limited = $samples->doubts() + LoadLimit::in($samples);
        $absent = array_map(static fn () => 'is not on this machine', $this->missing)
            + array_map(static fn () => 'is refused', $this->refused)
            + array_map(static fn () => 'failed', $this->failed);
        $notes = [
            ...self::sentences($this->missing, 'skipped'),
            ...self::sentences($this->refused, 'refused'),
            ...array_map(static fn (string $name, string $reason): string => "$name $reason.", array_keys($limited), $limited),
        ];
        $failures = array_values($this->failed);

        return Result::of($this->suite, $title, $samples, $goals, $notes, $limited + $absent, $failures);
    }

    /**
     * @param array<string, string> $reasons by contender
     *
     * @return list<string> one for each reason
     */
    private static function sentences(array $reasons, string $what): array
    {
        $sentences = [];
        foreach (array_unique($reasons) as $reason) {
            $names = array_keys($reasons, $reason, true);
            $verb = count($names) === 1 ? 'is' : 'are';
            $sentences[] = implode('; ', $names) . " $verb $what: $reason.";
        }

        return $sentences;
    }
}
