<?php

declare(strict_types=1);

namespace Howdah\Cli\Htaccess;

/** A .htaccess, read as Apache 2.4 with all of its modules would. Each directive is followed, means nothing here, or is named. */
final class HtaccessFile
{
    /** How files are sent, not who gets them; or what nginx does anyway. */
    private const WITHOUT_MEANING = '/^(?:add(?:charset|defaultcharset|encoding|icon\w*|language|outputfilter\w*|alt\w*'
        . '|description)|allowoverride\w*|authmerging|cgipassauth|auth(?:name|type|userfile|groupfile|basicprovider)|brotli\w*'
        . '|browsermatch\w*|contentdigest|defaulttype|deflate\w*|directoryindexredirect|directoryslash|enable(?:mmap|sendfile)'
        . '|expires\w*|fancyindexing|fileetag|filter\w*|acceptpathinfo|headername|readmename|index\w+|keepalive'
        . '|limitrequestbody|languagepriority|modpagespeed\w*|options|passenv|pagespeed\w*|rewriteoptions'
        . '|satisfy|secfilter\w*|secruleengine|secruleremovebyid|serversignature|setenv\w*|setinputfilter|setoutputfilter'
        . '|unsetenv|xbithack)$/';

    /**
     * Tells nothing of who gets a file or where an address leads: named after what does. And redirections to the same page at
     * another address, as frameworks have them: without a slash at the end, with another host.
     */
    private const OF_LESS_WEIGHT = '/^(?:php_\w+|\w*header|errordocument|fallbackresource|directoryindex|rewritebase)\s'
        . '|^rewriterule\s+\S+\s+\S*(?:[$%]\d|%\{REQUEST_URI\})\S*\s+\[(?:[^\]]*,)?\s*R(?:EDIRECT)?(?:=3\d\d)?\s*[,\]]/i';

    /** Sections that say for which Apache a line is. */
    private const TRANSPARENT = [
        'ifmodule', 'ifversion', 'ifdefine', 'requireall', 'requireany', 'requirenone', 'iffile', 'ifdirective',
    ];

    public readonly Access $access;
    public readonly Rewriting $rewriting;

    /** @var list<array{string, Access}> of <Files> and its like: a regular expression of paths, and who may have them */
    public array $sections = [];

    /** Whether scripts in the folder are not run. */
    public bool $keepsScripts = false;

    /** @var list<array{string, string}> of RedirectMatch and Redirect: a regular expression of paths, and the status */
    public array $statuses = [];

    /** @var array<int, string> lines that cannot be followed, by their number; and those that matter less */
    private array $unfollowed = [];

    /** @var array<int, string> */
    private array $others = [];

    /** @var list<array{string, Access|null, bool}> open sections: the name, who may have its files (null: it is skipped), and
     *      whether it is for an Apache without something */
    private array $open = [];

    /** @param string $folder as in an address, with a slash at both ends */
    public function __construct(private readonly string $folder, string $text)
    {
        $this->access = new Access();
        $this->rewriting = new Rewriting($folder);
        $number = 0;
        $whole = '';
        $withoutMark = str_starts_with($text, "\xEF\xBB\xBF") ? substr($text, 3) : $text;
        foreach (preg_split('/\r?\n|\r/', $withoutMark) ?: [] as $line) {
            $number++;
            $whole .= trim($line);
            if (str_ends_with($whole, '\\')) {
                $whole = substr($whole, 0, -1) . ' ';
                continue;
            }
            if ($whole !== '' && $whole[0] !== '#') {
                $this->line($whole, $number);
            }
            $whole = '';
        }
    }

    /** @return list<string> what cannot be followed, the most important first */
    public function unfollowed(): array
    {
        return [...array_values($this->unfollowed), ...array_values($this->others)];
    }

    /** Whether some of it may be for who gets a file. */
    public function mayProtect(): bool
    {
        return $this->unfollowed !== [];
    }

    private function line(string $line, int $number): void
    {
        if (preg_match('/^<\/(\w+)/', $line) === 1) {
            array_pop($this->open);
        } elseif (preg_match('/^<(\w+).*<\/\1>$/i', $line) === 1) {
            $this->name($line, $number); // Apache knows none on one line
        } elseif (preg_match('/^<(\w+)\s*([^>]*(?:>[^>]+)*)>?$/', $line, $match) === 1) {
            $this->openSection(strtolower($match[1]), self::words($match[2]), $line, $number);
        } else {
            $words = self::words($line);
            $isFollowed = $words === [] || $this->directive(strtolower($words[0]), array_slice($words, 1));
            if (!$isFollowed) {
                $this->name($line, $number);
            }
        }
    }

    /** @param list<string> $words */
    private function openSection(string $name, array $words, string $line, int $number): void
    {
        $around = $this->access();
        $isWithout = $this->isForAnother() || ($name === 'ifmodule'
            && preg_match('/^(?:!|(?:mod_)?php[457])/', $words[0] ?? '') === 1);
        if (in_array($name, self::TRANSPARENT, true)) {
            $this->open[] = [$name, $around, $isWithout];

            return;
        }
        // Of methods that change something we know nothing; those who read are meant where it says GET.
        $namesGet = preg_grep('/^get$/i', $words) !== [];
        if ($name === 'limit' || ($name === 'limitexcept' && !$namesGet)) {
            $this->open[] = [$name, $name === 'limit' && !$namesGet ? null : $around, $isWithout];

            return;
        }
        if ($name !== 'files' && $name !== 'filesmatch') {
            $this->name($line, $number);
            $this->open[] = [$name, null, $isWithout];

            return;
        }
        $isRegex = $name === 'filesmatch' || ($words[0] ?? '') === '~';
        $pattern = $words[($words[0] ?? '') === '~' ? 1 : 0] ?? '';
        $regex = Pattern::name($this->folder, $isRegex ? $pattern : Pattern::ofGlob($pattern));
        $access = $around === null ? null : new Access();
        if ($access !== null && $regex !== null) {
            $this->sections[] = [$regex, $access];
        } else {
            $access = null;
            $this->name($line, $number);
        }
        $this->open[] = [$name, $access, $isWithout];
    }

    /** @param list<string> $words */
    private function directive(string $name, array $words): bool
    {
        $access = $this->access();
        if ($access === null) {
            return true; // the section is named
        }
        if (in_array($name, ['require', 'order', 'allow', 'deny'], true)) {
            $not = $name === 'require' && in_array('requirenone', array_column($this->open, 0), true) ? ['not'] : [];

            return $access->say($name, [...$not, ...array_map(strtolower(...), $words)]);
        }
        // What is for an Apache without a module says the same in another way, or less. But who switches off PHP 7 means PHP.
        if ($this->isForAnother()) {
            if (str_starts_with($name, 'php_') || str_starts_with($name, 'remove')) {
                $this->handler($name, array_map(strtolower(...), $words));
            }

            return true;
        }
        if (preg_match(self::WITHOUT_MEANING, $name) === 1) {
            return true;
        }

        $this->rewriting->isInSection = array_diff(array_column($this->open, 0), self::TRANSPARENT) !== [];

        return match ($name) {
            'rewriteengine' => $this->engine(strtolower($words[0] ?? '')),
            'rewritebase' => $this->rewriting->base($words[0] ?? ''),
            'directoryindex' => $this->rewriting->index($words),
            'fallbackresource' => $this->rewriting->fallback($words[0] ?? ''),
            'rewritecond' => $this->rewriting->condition($words),
            'rewriterule' => $this->rewriting->rule($words),
            'redirect', 'redirectmatch' => $this->redirect($name === 'redirectmatch', $words),
            default => $this->handler($name, array_map(strtolower(...), $words)),
        };
    }

    private function engine(string $word): bool
    {
        $isKnown = !$this->rewriting->isInSection && in_array($word, ['on', 'off'], true);
        $this->rewriting->isOn = $isKnown ? $word === 'on' : $this->rewriting->isOn;

        return $isKnown;
    }

    /** @param list<string> $words */
    private function redirect(bool $isRegex, array $words): bool
    {
        $status = strtolower($words[0] ?? '') === 'gone' ? '410' : $words[0] ?? '';
        $what = $words[1] ?? '';
        $path = $isRegex ? Pattern::anywhere($what, false) : Pattern::quote(rtrim($what, '/')) . '(?:/|$)';
        $regex = $path === null ? null : Pattern::inside($this->folder, $path);
        if (preg_match('/^4\d\d$/D', $status) !== 1 || $what === '' || $regex === null) {
            return false;
        }
        $this->statuses[] = [$regex, $status];

        return true;
    }

    /**
     * A folder in which PHP files are none: uploads.
     *
     * @param list<string> $words
     */
    private function handler(string $name, array $words): bool
    {
        $isForScripts = preg_match('/(?:^|\s)\.?(?:php\d?|phtml)(?:\s|$)/', implode(' ', $words)) === 1;
        $turnsOff = match ($name) {
            'php_flag', 'php_admin_flag', 'php_value', 'php_admin_value' => ($words[0] ?? '') === 'engine'
                && in_array($words[1] ?? '', ['off', '0', 'no', 'false', 'none'], true),
            'sethandler', 'forcetype' => !str_contains($words[0] ?? '', 'php'),
            'removehandler', 'removetype' => $isForScripts,
            'addhandler', 'addtype' => $isForScripts && !str_contains($words[0] ?? '', 'php'),
            default => false,
        };
        if ($turnsOff && $this->isWhole()) {
            return $this->keepsScripts = true;
        }

        // The rest of these is about types and programs of files, and tells nothing of who gets them.
        return in_array($name, ['addtype', 'addhandler', 'removehandler', 'removetype', 'sethandler', 'forcetype'], true);
    }

    /** Whether what is said now is of all files, or of all scripts. */
    private function isWhole(): bool
    {
        $sections = array_filter($this->open, static fn (array $one): bool => str_starts_with($one[0], 'files'));
        [$regex] = $this->sections === [] ? [''] : $this->sections[array_key_last($this->sections)];

        return $sections === [] || @preg_match("\x01$regex\x01", "{$this->folder}a.php") === 1;
    }

    private function access(): ?Access
    {
        return $this->open === [] ? $this->access : $this->open[array_key_last($this->open)][1];
    }

    private function isForAnother(): bool
    {
        return $this->open !== [] && $this->open[array_key_last($this->open)][2];
    }

    private function name(string $line, int $number): void
    {
        $text = (string) preg_replace(['/\t+/', '/[^\x20-\x7e]/'], [' ', '?'], $line);
        $named = "line $number `" . (strlen($text) > 60 ? substr($text, 0, 57) . '...' : $text) . '`';
        if (preg_match(self::OF_LESS_WEIGHT, $line) === 1) {
            $this->others[$number] = $named;
        } else {
            $this->unfollowed[$number] = $named;
        }
    }

    /** @return list<string> */
    private static function words(string $text): array
    {
        preg_match_all('/"(?:\\\\.|[^"\\\\])*"|\'(?:\\\\.|[^\'\\\\])*\'|\S+/s', $text, $matches);

        return array_map(static function (string $word): string {
            $isQuoted = strlen($word) > 1 && ($word[0] === '"' || $word[0] === "'") && $word[-1] === $word[0];

            // ap_getword_conf(), server/util.c of Apache 2.4
            return (string) preg_replace('/\\\\(["\'\\\\])/', '$1', $isQuoted ? substr($word, 1, -1) : $word);
        }, $matches[0]);
    }
}
