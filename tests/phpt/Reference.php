<?php

declare(strict_types=1);

namespace Howdah\Tests\Phpt;

/**
 * php-fpm's side. Its answer counts only where Howdah fails, so it is asked of those tests, and of a sample of the others:
 * a php-fpm that failed everything would excuse everything. From one run to the next only the names of the tests are kept
 * that its child does not survive. Where none are known of these versions, or where all are asked for, it is asked of every
 * test before Howdah is.
 */
final class Reference
{
    /** One in so many. */
    private const SAMPLE = 50;

    /** Of a hundred of these that pass here, so many pass there: all but those that disturb each other. */
    private const ENOUGH = 95;

    /** Seconds for a test that is listed as one that does not end. */
    private const PATIENCE = 10;

    /** @var list<string> the tests that php-fpm's child has not survived */
    public array $unfit = [];

    public function __construct(
        public readonly Round $round,
        private readonly Servers $servers,
        public readonly Unfit $known,
        public readonly bool $isWhole,
    ) {
    }

    /**
     * What php-fpm's child does not survive is not asked of a worker that serves others.
     *
     * @param list<Test> $tests
     *
     * @return list<Test> those that are fit for Howdah
     */
    public function fit(array $tests): array
    {
        $listed = fn (Test $test): bool => isset($this->known->reasons[$test->name]);
        $asked = $this->isWhole ? $tests : array_values(array_filter($tests, $listed));
        $this->round->run($asked, patience: $this->isWhole ? null : self::PATIENCE);
        $survived = $this->servers->survivedByFpm();
        foreach ($asked as $test) {
            if (!isset($survived["$test->path.php"]) || $this->round->outcomes[$test->name]->endsServer()) {
                $this->unfit[] = $test->name;
            }
        }
        $unfit = array_flip($this->unfit);

        return array_values(array_filter($tests, static fn (Test $test): bool => !isset($unfit[$test->name])));
    }

    /** Asks for what a round through Howdah needs to be compared. */
    public function follow(Round $round): void
    {
        $tests = [];
        foreach ($round->outcomes as $name => $outcome) {
            if (!isset($this->round->outcomes[$name]) && (!$outcome->passes() || self::isOfSample($name))) {
                $tests[] = $outcome->test;
            }
        }
        $this->round->run($tests);
    }

    /**
     * Why php-fpm cannot be believed.
     *
     * @return list<string>
     */
    public function complaints(Round $round): array
    {
        $asked = $passed = 0;
        foreach ($round->outcomes as $name => $outcome) {
            if ($outcome->passes() && isset($this->round->outcomes[$name])) {
                ++$asked;
                $passed += (int) $this->round->outcomes[$name]->passes();
            }
        }
        if ($asked === 0) {
            return ['no test that passes here was asked of php-fpm: nothing was compared'];
        }

        $message = "only $passed of $asked tests that pass here pass under php-fpm: it is broken";

        return $passed * 100 >= $asked * self::ENOUGH ? [] : [$message];
    }

    private static function isOfSample(string $name): bool
    {
        return crc32("sample of $name") % self::SAMPLE === 0;
    }
}
