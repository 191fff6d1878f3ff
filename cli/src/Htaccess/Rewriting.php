<?php

declare(strict_types=1);

namespace Howdah\Cli\Htaccess;

/**
 * What a file's RewriteRules do with files that are there: refuse them, or give them to the front controller.
 *
 * What they do with all else is what we do anyway: the front controller has it.
 */
final class Rewriting
{
    private const FILE_TESTS = ['-f' => true, '-s' => true, '-F' => true, '-d' => false, '-l' => false, '-h' => false];

    /** @var list<array{string, string}> regular expression of paths, and what becomes of them: a status or "front" */
    public array $rules = [];

    /** @var list<array{string|bool, bool}>|null what a path has to look like for the next rule, and whether the next line is
     *      another way; null: that cannot be known */
    private ?array $conditions = [];

    /** @var list<string> what no further rule sees */
    private array $stops = [];
    private bool $ended = false;

    public function __construct(private readonly string $folder)
    {
    }

    /**
     * @param  list<string> $words
     * @return true the rule is named where it cannot be followed
     */
    public function condition(array $words): true
    {
        [$subject, $pattern] = [strtoupper($words[0] ?? ''), $words[1] ?? ''];
        $flags = self::flags($words[2] ?? '');
        $isNot = str_starts_with($pattern, '!');
        $bare = ltrim($pattern, '!');
        $test = self::FILE_TESTS[$bare] ?? null;
        $isFile = in_array($subject, ['%{REQUEST_FILENAME}', '%{SCRIPT_FILENAME}'], true);
        $isUri = $subject === '%{REQUEST_URI}';
        $anyCase = isset($flags['NC']);
        $known = match (true) {
            $test !== null => $isFile || $isUri || $subject === '%{DOCUMENT_ROOT}%{REQUEST_URI}' ? $test !== $isNot : null,
            preg_match('/^(?:[<>]|-[a-z]{2})/', $bare) === 1 => null,
            // "=text" compares; a file's name begins elsewhere.
            $isUri && $bare !== '' && $bare[0] === '=' => Pattern::whole(
                ($isNot ? '!' : '') . '^' . Pattern::quote(substr($bare, 1)) . '$',
                $anyCase,
            ),
            $isUri, $isFile && $bare !== '' && !in_array($bare[0], ['^', '='], true) => Pattern::whole($pattern, $anyCase),
            default => null,
        };
        if ($known === null) {
            $this->conditions = null;
        } elseif ($this->conditions !== null) {
            $this->conditions[] = [$known, isset($flags['OR'])];
        }

        return true;
    }

    /**
     * @param  list<string> $words
     * @return bool whether it was understood
     */
    public function rule(array $words): bool
    {
        [$pattern, $target] = [$words[0] ?? '', $words[1] ?? '-'];
        $flags = self::flags($words[2] ?? '');
        $conditions = $this->takeConditions();
        $outcome = $this->outcome($target, $flags);
        if ($conditions === false || $this->ended || $outcome === '') {
            // It is for none of the files that are there, or changes nothing; but other addresses it may redirect, or tell the
            // front controller of them in a query.
            return ($outcome !== null && preg_match('/\?.*[$%]\d/', $target) === 0) || $this->ended;
        }
        if ($outcome === null || $conditions === null) {
            return false;
        }
        $path = Pattern::below($this->folder, $pattern, isset($flags['NC']));
        $stops = implode('', array_map(static fn (string $stop): string => "(?!$stop)", $this->stops));
        $regex = $path === null ? null : Pattern::inside($this->folder, $stops . $conditions . $path);
        if ($regex === null) {
            return false;
        }
        if ($outcome !== 'stop') {
            $this->rules[] = [$regex, $outcome];
        } elseif (in_array($pattern, ['^', '.*', '^.*$', '^(.*)$', '(.*)', '.?'], true) && $conditions === '') {
            $this->ended = true;
        } else {
            $this->stops[] = $conditions . $path;
        }

        return true;
    }

    /**
     * What a rule does with a path that it is for: a status, "front", "stop", '' (nothing), or null: something else.
     *
     * @param array<string, string> $flags
     */
    private function outcome(string $target, array $flags): ?string
    {
        $status = match (true) {
            isset($flags['F']) => '403',
            isset($flags['G']) => '410',
            isset($flags['R']) && preg_match('/^4\d\d$/D', $flags['R']) === 1 => $flags['R'],
            default => null,
        };
        $script = basename((string) preg_replace('/\?.*$/s', '', $target));
        // "index.php/$1": a path behind it.
        $isFront = $script === 'index.php' || str_contains($target, 'index.php/');

        return match (true) {
            $status !== null => $status,
            isset($flags['R']) => null,
            $target === '-' => isset($flags['L']) || isset($flags['END']) ? 'stop' : '',
            $isFront => 'front',
            default => null,
        };
    }

    /** What was said since the last rule, as a regular expression that moves on by nothing; false: no file is so; null: unknown. */
    private function takeConditions(): string|false|null
    {
        [$conditions, $this->conditions] = [$this->conditions, []];
        if ($conditions === null) {
            return null;
        }
        $all = '';
        $ways = [];
        foreach ($conditions as $i => [$known, $hasOther]) {
            $ways[] = $known;
            if ($hasOther && isset($conditions[$i + 1])) {
                continue;
            }
            $left = array_filter($ways, is_string(...));
            if (!in_array(true, $ways, true)) {
                if ($left === []) {
                    return false;
                }
                $all .= '(?:' . implode('|', $left) . ')';
            }
            $ways = [];
        }

        return $all;
    }

    /** @return array<string, string> values by name: "[NC,R=301]" */
    private static function flags(string $text): array
    {
        $long = ['FORBIDDEN' => 'F', 'GONE' => 'G', 'LAST' => 'L', 'NOCASE' => 'NC', 'ORNEXT' => 'OR', 'REDIRECT' => 'R'];
        $flags = [];
        foreach (explode(',', trim($text, '[] ')) as $flag) {
            [$name, $value] = explode('=', trim($flag), 2) + [1 => ''];
            $name = strtoupper($name);
            $flags[$long[$name] ?? $name] = $value;
        }

        return $flags;
    }
}
