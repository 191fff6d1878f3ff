<?php

declare(strict_types=1);

namespace Howdah\Tests\Phpt;

use Howdah\Cli\Audit\Report as Findings;

/** What the engine's audit has found while tests ran: memory that requests changed and that is no realm's. */
final class Audit
{
    private readonly Findings $findings;

    /** @param list<string> $losses what nginx said of lost workers: what they changed last was not looked at */
    public function __construct(string $file, private readonly int $tests, private readonly array $losses)
    {
        $this->findings = Findings::read($file);
    }

    /** @return list<string> */
    public function complaints(): array
    {
        $complaints = array_map(static fn (string $loss): string => "the audit has lost a worker: $loss", $this->losses);
        foreach ($this->findings->unexplainedFindings() as $word) {
            $complaints[] = "the audit: $word->object, $word->place, $word->bytes bytes, first seen $word->firstSeen";
        }
        if ($this->findings->lost > 0) {
            $complaints[] = "the audit: {$this->findings->lost} words more, for which there was no room";
        }
        if ($this->findings->looks === 0) {
            $complaints[] = 'the audit has looked at nothing';
        }

        return $complaints;
    }

    public function figures(): string
    {
        return sprintf(
            'the audit looked %d times during %d tests: %d unexplained words, %d shared on purpose',
            $this->findings->looks,
            $this->tests,
            $this->findings->unexplained,
            $this->findings->shared,
        );
    }
}
