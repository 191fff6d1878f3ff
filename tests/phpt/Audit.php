<?php

declare(strict_types=1);

namespace Howdah\Tests\Phpt;

use Howdah\Cli\Audit\Report as Findings;

/** What the engine's audit has found while tests ran: memory that requests changed and that is no realm's. */
final class Audit
{
    /** Here PHP itself is tested, with no library of C: the memory that these tests reach others reach, too. */
    private const ENGINE = [
        'Zend/', 'tests/', 'ext/opcache/', 'ext/reflection/', 'ext/spl/',
        'ext/standard/tests/array/', 'ext/standard/tests/math/', 'ext/standard/tests/strings/',
    ];

    private readonly Findings $findings;

    /**
     * @param list<string> $losses   what nginx said of lost workers: what they changed last was not looked at
     * @param list<string> $warnings Howdah's, about the audit: words that it could explain may be among those that it does not
     */
    public function __construct(
        string $file,
        private readonly int $tests,
        private readonly array $losses,
        private readonly array $warnings,
    ) {
        $this->findings = Findings::read($file);
    }

    /** All that reaches libraries of C, and each Nth of the others, always the same ones. */
    public static function chooses(string $test, int $nth): bool
    {
        $isEngine = array_filter(self::ENGINE, static fn (string $folder): bool => str_starts_with($test, $folder)) !== [];

        return !$isEngine || crc32($test) % $nth === 0;
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
        if ($complaints !== []) {
            array_push($complaints, ...$this->warnings);
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
