<?php

declare(strict_types=1);

namespace Howdah\Tests\Runner;

use DOMDocument;
use DOMElement;
use DOMXPath;
use Howdah\Tests\Late;

/** What PHPUnit has recorded of a run: which tests failed, how, and where. */
final readonly class Record
{
    /** Lines of a message that are told. */
    private const LINES = 4;

    /**
     * @param array<string, array{late: bool, place: string, message: list<string>}> $failures by the test's name
     *
     * @param int  $count of tests that ran
     * @param bool $whole PHPUnit came to its end
     * @param bool $sound nothing is wrong beside tests that failed
     */
    private function __construct(public array $failures, public int $count, public bool $whole, public bool $sound)
    {
    }

    /** @param string $files as HOWDAH_RECORD names them: with .xml and .events behind it */
    public static function of(string $files): self
    {
        $document = new DOMDocument();
        libxml_use_internal_errors(true);
        if (!is_file("$files.xml") || !$document->load("$files.xml")) {
            return new self([], 0, false, false);
        }
        $failures = [];
        $faults = (new DOMXPath($document))->query('//testcase/*[self::failure or self::error]');
        foreach ($faults === false ? [] : $faults as $fault) {
            $test = $fault->parentNode;
            if ($fault instanceof DOMElement && $test instanceof DOMElement) {
                $failures[$test->getAttribute('class') . '::' . $test->getAttribute('name')] ??= self::failure($fault);
            }
        }
        $events = (string) @file_get_contents("$files.events");
        $unsound = '~^(Test (Considered Risky|Marked Incomplete|Triggered )(?!.*suppressed using operator)'
            . '|Test Runner Triggered (Warning|Deprecation)|Before First .* Errored)~m';

        return new self(
            $failures,
            $document->getElementsByTagName('testcase')->length,
            true,
            preg_match($unsound, $events) !== 1,
        );
    }

    public function isLate(): bool
    {
        return $this->failures !== [] && $this->sound && !in_array(false, array_column($this->failures, 'late'), true);
    }

    /** @param list<string> $tests */
    public static function filter(array $tests): string
    {
        return '~^(' . implode('|', array_map(static fn (string $name): string => preg_quote($name, '~'), $tests)) . ')$~D';
    }

    /** @return array{late: bool, place: string, message: list<string>} */
    private static function failure(DOMElement $fault): array
    {
        // PHPUnit begins the text with the test's name, and ends it with the places, the innermost one first.
        $lines = preg_split('/\R/', trim($fault->textContent)) ?: [];
        $is_place = static fn (string $line): bool => preg_match('~^/\S*\.php:\d+$~D', $line) === 1;
        $is_test = static fn (string $line): bool => $is_place($line) && preg_match('~/tests/(clock|tools)/~', $line) !== 1;
        $place = array_values(array_filter($lines, $is_test))[0] ?? '';
        $is_message = static fn (string $line): bool => trim($line) !== '' && !$is_place($line);
        $message = array_filter(array_slice($lines, 1), $is_message);

        return [
            'late' => $fault->getAttribute('type') === Late::class,
            'place' => (string) preg_replace('~^.*/(?=(cli/)?tests/)~', '', $place),
            'message' => array_map(
                static fn (string $line): string => mb_strcut($line, 0, 240),
                array_slice(array_values($message), 0, self::LINES),
            ),
        ];
    }
}
