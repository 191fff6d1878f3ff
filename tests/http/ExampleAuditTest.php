<?php

declare(strict_types=1);

namespace Howdah\HttpTests;

use PHPUnit\Framework\Attributes\DataProvider;

/** `howdah audit` of the examples, as a user would call it: no word of memory that requests share by accident. */
final class ExampleAuditTest extends HttpTestCase
{
    private const EXAMPLES = __DIR__ . '/../../examples';

    /** The same in each run; a long one has another. */
    private const SEED = 20261126;

    /**
     * Two of them, all in `make test-long`: what the others keep is PHP's and its extensions', and tests/engine/AuditTest finds
     * that without nginx.
     *
     * @return iterable<string, array{string, string, int}>
     */
    public static function examples(): iterable
    {
        foreach (['plain' => 6, 'laravel' => 6, 'symfony' => 4] as $example => $pages) {
            foreach (['classic', 'worker'] as $mode) {
                if (getenv('HOWDAH_LONG') || in_array("$example, $mode", ['plain, classic', 'symfony, worker'], true)) {
                    yield "$example, $mode" => [$example, $mode, $pages];
                }
            }
        }
    }

    /** @param int $pages that its front page leads to, itself among them */
    #[DataProvider('examples')]
    public function test_an_example_is_clean(string $example, string $mode, int $pages): void
    {
        $setup = self::EXAMPLES . "/$example/bin/setup";
        if (is_file($setup)) {
            exec(escapeshellarg($setup) . ' 2>&1', $lines, $status);
            self::assertSame(0, $status, implode("\n", $lines));
        }

        $named = getenv('HOWDAH_SEED') ?: (getenv('HOWDAH_LONG') ? random_int(1, 1_000_000) : self::SEED);
        $options = ["--mode=$mode", '--scripts=0', '--time=3600', "--seed=$named", '--json'];
        $audit = Howdah::run(['audit', self::EXAMPLES . "/$example", ...$options]);
        $told = $audit->json();

        self::assertSame(0, $audit->status, "HOWDAH_SEED=$named: " . $audit->output . $audit->errors);
        self::assertSame([0, 0, 0, []], [
            $told['unexplained_words'],
            $told['lost_words'],
            $told['failed'],
            $told['crashes'],
        ], "HOWDAH_SEED=$named: $audit->output");
        self::assertGreaterThanOrEqual($pages, $told['pages']);
        self::assertGreaterThan(200, $told['looks']);
        self::assertSame('done', $told['ended']);
    }
}
