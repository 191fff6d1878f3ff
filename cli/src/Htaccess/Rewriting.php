<?php

declare(strict_types=1);

namespace Howdah\Cli\Htaccess;

/**
 * What a file's RewriteRules do with files that are there: refuse them, or give them to the front controller. And which script
 * has what is no file, where that is not the front controller of the whole site: a folder may have one of its own.
 */
final class Rewriting
{
    private const FILE_TESTS = ['-f' => true, '-s' => true, '-F' => true, '-d' => false, '-l' => false, '-h' => false];

    /** @var list<array{string, string}> regular expression of paths, and what becomes of them: a status or "front" */
    public array $rules = [];

    /** @var list<list<array{string, string}>> fronts() of folders themselves, of rules, and of what no rule is for */
    private array $fronts = [[], [], []];

    /** @var list<array{string|bool, string|bool, bool}>|null what a path has to look like for the next rule, where a file is
     *      and where nothing is, and whether the next line is another way; null: that cannot be known */
    private ?array $conditions = [];

    /** @var list<string> what no further rule sees */
    private array $stops = [];

    /** @var list<string> the same where nothing is */
    private array $missingStops = [];
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
            $this->conditions[] = [$known, $test === null ? $known : $isNot, isset($flags['OR'])];
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
        [$all, $this->conditions] = [$this->conditions, []];
        $conditions = self::together($all, 0);
        $outcome = $this->outcome($target, $flags);
        $isGiven = $this->give($pattern, $target, $flags, self::together($all, 1), $outcome);
        if ($conditions === false || $this->ended || $outcome === '') {
            // It is for none of the files that are there, or changes nothing; but other addresses it may redirect, or tell the
            // front controller of them in a query.
            return $isGiven || ($outcome !== null && preg_match('/\?.*[$%]\d/', $target) === 0) || $this->ended;
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
     * @return list<array{string, string}> regular expression of paths where nothing is, and the address of the script that has
     *         them, with "/..." behind it where it gets the rest of the path as PATH_INFO; the first that matches counts
     */
    public function fronts(): array
    {
        return array_merge(...$this->fronts);
    }

    /** FallbackResource: whose is what no rule gives to a script. */
    public function fallback(string $target): bool
    {
        $script = self::script($this->folder, $target);
        if ($script !== null) {
            $this->fronts[2] = [['^' . Pattern::quote($this->folder), $script]];
        }

        return $script !== null || strtolower($target) === 'disabled';
    }

    /**
     * DirectoryIndex: which script is meant by the folder itself, where that has no index.php.
     *
     * @param list<string> $names
     */
    public function index(array $names): true
    {
        $this->fronts[0] = [];
        foreach ($names as $name) {
            $script = self::script($this->folder, $name);
            if ($script !== null && $name !== 'index.php') {
                $this->fronts[0][] = ['^' . Pattern::quote($this->folder) . '$', $script];
            }
        }

        return true;
    }

    /**
     * Whether a rule gives what is no file to a script, as far as its conditions can be known.
     *
     * @param array<string, string> $flags
     */
    private function give(string $pattern, string $target, array $flags, string|false|null $conditions, ?string $outcome): bool
    {
        $path = is_string($conditions) ? Pattern::below($this->folder, $pattern, isset($flags['NC'])) : null;
        $script = isset($flags['R']) || isset($flags['F']) || isset($flags['G']) ? null : self::script($this->folder, $target);
        if ($path === null || ($script === null && $outcome !== 'stop')) {
            return false;
        }
        if ($script === null) {
            $this->missingStops[] = $conditions . $path;

            return false;
        }
        $stops = implode('', array_map(static fn (string $stop): string => "(?!$stop)", $this->missingStops));
        $regex = Pattern::inside($this->folder, $stops . $conditions . $path);
        if ($regex !== null) {
            $this->fronts[1][] = [$regex, $script];
        }

        return $regex !== null;
    }

    /**
     * The address of the script that a target is. A variable at its beginning is the folder's own address, which those write
     * who do not know where they will be installed.
     */
    private static function script(string $folder, string $target): ?string
    {
        $own = preg_replace('~^(?:%\d|%\{ENV:\w+\})/~', '', $target);
        if (preg_match('~^(/?)((?:[\w-][\w.-]*/)*[\w-][\w.-]*\.php)(/?\$\d)?$~D', (string) $own, $match) !== 1) {
            return null;
        }

        return ($match[1] === '/' ? '/' : $folder) . $match[2] . (isset($match[3]) ? '/...' : '');
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

    /**
     * Conditions as a regular expression that moves on by nothing; false: no path is so; null: unknown.
     *
     * @param list<array{string|bool, string|bool, bool}>|null $conditions
     * @param 0|1                                              $which      where a file is, or where nothing is
     */
    private static function together(?array $conditions, int $which): string|false|null
    {
        if ($conditions === null) {
            return null;
        }
        $all = '';
        $ways = [];
        foreach ($conditions as $i => $condition) {
            $ways[] = $condition[$which];
            if ($condition[2] && isset($conditions[$i + 1])) {
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
