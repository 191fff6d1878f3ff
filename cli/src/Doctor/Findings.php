<?php

declare(strict_types=1);

namespace Howdah\Cli\Doctor;

use Closure;
use Howdah\Cli\Failure;

/** What was found so far, in the order in which it was looked at; what `serve` would refuse with becomes a problem. */
final class Findings
{
    /** @var list<Finding> */
    private array $all = [];

    public function add(Finding ...$findings): void
    {
        array_push($this->all, ...array_values($findings));
    }

    /** @return list<Finding> */
    public function all(): array
    {
        return $this->all;
    }

    /**
     * What was asked for; null, and a problem, where it is refused.
     *
     * @template T of object|string
     * @param  Closure(): T $ask
     * @return T|null
     */
    public function attempt(string $subject, Closure $ask): object|string|null
    {
        try {
            return $ask();
        } catch (Failure $failure) {
            $this->add(Finding::problem($subject, $failure));

            return null;
        }
    }

    /**
     * Whether it is as it should be; if not, a problem.
     *
     * @param Closure(): void $assert
     */
    public function hold(string $subject, Closure $assert): bool
    {
        try {
            $assert();

            return true;
        } catch (Failure $failure) {
            $this->add(Finding::problem($subject, $failure));

            return false;
        }
    }

    /** @param list<string> $tested the series that our tests run with */
    public function addVersion(string $subject, string $told, string $series, array $tested): void
    {
        $this->add(in_array($series, $tested, true) ? Finding::ok($subject, $told) : Finding::note($subject, "$told: Howdah is"
            . ' tested with ' . implode(' and ', $tested) . '; run its tests with this one (`make test`)'));
    }
}
