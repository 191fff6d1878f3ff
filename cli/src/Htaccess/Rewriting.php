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

    /** A pattern that is one whole capture: then "/$1" is the rest of the path. */
    private const WHOLE = '/^\^?\((?:\.|\[\\\\s\\\\S\])[*+]\)\$?$/D';

    /** Flags with which a rule's target is still the script, with the request's own query. */
    private const HARMLESS = ['' => 0, 'L' => 0, 'END' => 0, 'NC' => 0, 'QSA' => 0, 'E' => 0, 'PT' => 0, 'NS' => 0, 'NE' => 0,
        'B' => 0, 'DPI' => 0];

    /** What a folder's script gets as PATH_INFO, as a named group. */
    public const REST = 'howdah_rest';

    /** RewriteEngine; null: as in the folder above. */
    public ?bool $isOn = null;

    /** Whether the next lines are for some files or methods only: then they name no front controller. */
    public bool $isInSection = false;

    /** @var list<array{string, string}> regular expression of paths, and what becomes of them: a status or "front" */
    public array $rules = [];

    /** @var list<list<array{string, string, bool}>> fronts() of folders themselves, of rules, and of what no rule is for */
    private array $fronts = [[], [], []];

    /** @var list<array{string|bool, string|bool, bool}>|null what a path has to look like for the next rule, where a file is
     *      and where nothing is, and whether the next line is another way; null: that cannot be known */
    private ?array $conditions = [];

    /** @var list<string> what no further rule sees */
    private array $stops = [];

    /** @var list<string> the same where nothing is */
    private array $missingStops = [];
    private bool $ended = false;

    /** Whether "%1" is the folder's own address for the next rule: the last condition has found it. */
    private bool $isFound = false;

    /** What comes before relative targets; null: that cannot be known. */
    private ?string $base;

    public function __construct(private readonly string $folder)
    {
        $this->base = $folder;
    }

    /** RewriteBase is of all rules of the file: where it is another one, it has to come before them. */
    public function base(string $base): bool
    {
        $base = rtrim($base, '/') . '/';
        $isKnown = $base === $this->base
            || (!$this->isInSection && $this->fronts[1] === [] && preg_match('~^/(?:[\w-][\w.-]*/)*$~D', $base) === 1);
        $this->base = $isKnown ? $base : null;
        $this->fronts[1] = $isKnown ? $this->fronts[1] : [];

        return $isKnown;
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
        $this->isFound = $isUri && ltrim($pattern, '^') === '(.*' . rtrim($this->folder, '/') . ')';
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
        $missing = self::together($all, 1);
        // A front controller may have been told of the address in a query, or be one of some files only.
        $isGiven = $this->give($pattern, $target, $flags, $missing, $outcome);
        $this->isFound = false;
        $isFollowed = $isGiven || $outcome !== 'front' || $missing === false;
        if ($conditions === false || $this->ended || $outcome === '') {
            // It is for none of the files that are there, or changes nothing; but other addresses it may redirect.
            return $isFollowed && ($isGiven || $outcome !== null || $this->ended);
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

        return $isFollowed;
    }

    /**
     * @param  bool $isOn whether RewriteRule means something
     * @return list<array{string, string, bool}> regular expression of paths where nothing is, the address of the script that
     *         has them, and whether it gets REST behind it as PATH_INFO; the first that matches counts
     */
    public function fronts(bool $isOn): array
    {
        return [...$this->fronts[0], ...($isOn ? $this->fronts[1] : []), ...$this->fronts[2]];
    }

    /**
     * FallbackResource: whose is what no rule gives to a script. One that is relative is another one for each folder below, and
     * what a folder above says cannot be taken back.
     */
    public function fallback(string $target): bool
    {
        $isDisabled = strtolower($target) === 'disabled';
        $front = str_starts_with($target, '/') ? $this->front('^' . Pattern::quote($this->folder), $target) : null;
        $this->fronts[2] = $front === null ? [] : [$front];

        return $front !== null || ($isDisabled && $this->folder === '/');
    }

    /**
     * DirectoryIndex: which script is meant by the folder itself, where that has no index.php and no index.html, which are
     * asked for first whatever it says.
     *
     * @param  list<string> $names
     * @return bool whether that is their order as well
     */
    public function index(array $names): bool
    {
        $this->fronts[0] = [];
        $own = array_values(array_intersect(['index.php', 'index.html'], $names));
        $isFollowed = !$this->isInSection && array_slice($names, 0, count($own)) === $own;
        foreach (array_diff($names, $own) as $name) {
            $front = $this->front('^' . Pattern::quote($this->folder) . '$', $name);
            if ($front !== null) {
                $this->fronts[0][] = $front;
            } elseif (str_ends_with($name, '.php')) {
                $isFollowed = false;
            }
        }

        return $isFollowed;
    }

    /**
     * Whether a rule gives what is no file to a script, as far as its conditions can be known.
     *
     * @param array<string, string> $flags
     */
    private function give(string $pattern, string $target, array $flags, string|false|null $conditions, ?string $outcome): bool
    {
        $path = is_string($conditions) ? Pattern::below($this->folder, $pattern, isset($flags['NC'])) : null;
        if ($path === null) {
            return false;
        }
        if ($outcome === 'stop') {
            $this->missingStops[] = $conditions . $path;

            return false;
        }
        $own = isset($flags['QSA']) ? $target : (string) preg_replace('/\?%\{QUERY_STRING\}$/D', '', $target);
        $rest = preg_match(self::WHOLE, $pattern) === 1 && str_ends_with($own, '/$1') ? '/$1' : '';
        $stops = implode('', array_map(static fn (string $stop): string => "(?!$stop)", $this->missingStops));
        $regex = Pattern::inside($this->folder, $stops . $conditions . $path);
        $front = $regex === null || array_diff_key($flags, self::HARMLESS) !== []
            ? null
            : $this->front($regex, substr($own, 0, strlen($own) - strlen($rest)), $this->base, $rest !== '');
        if ($front !== null) {
            $this->fronts[1][] = $front;
        }

        return $front !== null;
    }

    /**
     * One of fronts(), where the target is a script and nginx takes all of it. A variable at the target's beginning is the
     * folder's own address, which those write who do not know where they will be installed.
     *
     * @param  string|null $base what comes before a relative target, where that is not the folder
     * @return array{string, string, bool}|null
     */
    private function front(string $regex, string $target, ?string $base = '', bool $hasRest = false): ?array
    {
        $own = (string) preg_replace('~^(?:' . ($this->isFound ? '%1|' : '') . '%\{ENV:\w+\})/~', '', $target);
        $base = $own !== $target || $base === '' ? $this->folder : $base;
        if ($this->isInSection || $base === null || preg_match('~^/?(?:[\w-][\w.-]*/)*[\w-][\w.-]*\.php$~D', $own) !== 1) {
            return null;
        }
        $script = str_starts_with($own, '/') ? $own : $base . $own;
        if ($hasRest) {
            $rest = '(?=' . Pattern::quote(rtrim($this->folder, '/')) . '(?<' . self::REST . '>/(?s:.*)))';
            $regex = '^' . $rest . substr($regex, 1);
        }

        return Pattern::isShort($regex, $script) ? [$regex, $script, $hasRest] : null;
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
