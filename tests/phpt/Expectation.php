<?php

declare(strict_types=1);

namespace Howdah\Tests\Phpt;

/** Whether an answer is what a test expects, by the rules of run-tests.php (run_test(), expectf_to_regex()). */
final class Expectation
{
    private const PLACEHOLDERS = [
        '%e' => '\/',
        '%s' => '[^\r\n]+',
        '%S' => '[^\r\n]*',
        '%a' => '.+',
        '%A' => '.*',
        '%w' => '\s*',
        '%i' => '[+-]?\d+',
        '%d' => '\d+',
        '%x' => '[0-9a-fA-F]+',
        '%f' => '[+-]?(?:\d+|(?=\.\d))(?:\.\d+)?(?:[Ee][+-]?\d+)?',
        '%c' => '.',
        '%0' => '\x00',
    ];

    public function __construct(private readonly Sections $sections)
    {
    }

    /** What is wrong with the answer; null when nothing is. */
    public function wrong(Answer $answer): ?string
    {
        if ($answer->error !== null) {
            return $answer->error;
        }

        return $this->wrongHeader($answer) ?? ($this->matches($answer->body) ? null : 'another output');
    }

    /** The text that the answer should have. */
    public function text(): string
    {
        $section = current(array_filter(['EXPECT', 'EXPECTF', 'EXPECTREGEX'], $this->sections->has(...)));

        return $section === false ? '' : str_replace("\r\n", "\n", trim($this->sections->get($section)));
    }

    private function matches(string $body): bool
    {
        $output = str_replace("\r\n", "\n", trim($body));
        if (!$this->sections->has('EXPECTF', 'EXPECTREGEX')) {
            return $output === $this->text();
        }
        $pattern = $this->sections->has('EXPECTF') ? self::pattern($this->text()) : $this->text();

        return preg_match("/^$pattern\$/s", $output) === 1;
    }

    /** Header names in any case: nginx writes some of them in its own. */
    private function wrongHeader(Answer $answer): ?string
    {
        foreach ($this->sections->lines('EXPECTHEADERS') as $line) {
            if (str_contains($line, ':')) {
                [$name, $value] = array_map(trim(...), explode(':', $line, 2));
                // As run-tests.php, which compares numbers as such.
                if (!isset($answer->headers[strtolower($name)]) || $answer->headers[strtolower($name)] != $value) {
                    return "another header $name";
                }
            }
        }

        return null;
    }

    /** %r...%r is a regular expression as it stands. */
    private static function pattern(string $format): string
    {
        $parts = explode('%r', $format);
        if (count($parts) % 2 === 0) { // the last one is not closed: it stands for itself
            $last = array_pop($parts);
            $parts[] = array_pop($parts) . "%r$last";
        }
        $pattern = '';
        foreach ($parts as $place => $part) {
            $pattern .= $place % 2 === 0 ? preg_quote($part, '/') : "($part)";
        }

        return strtr($pattern, self::PLACEHOLDERS);
    }
}
