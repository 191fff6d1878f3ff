<?php

declare(strict_types=1);

namespace Howdah\Cli;

use Howdah\Cli\Htaccess\Fronts;
use Howdah\Cli\Htaccess\HtaccessTree;
use Howdah\Cli\Htaccess\Pattern;

/**
 * Files below the document root that are not published: what the project's .htaccess files say, what the documentation of its
 * application says, and what no project publishes. In this order: the first that says something of a file counts.
 */
final readonly class Protection
{
    private const NAMED = 3;

    private const UNREAD = 'cannot be read, or is no file or no text, or is larger than 16 MB, so that nobody knows what it'
        . ' refuses: let this user read it, or remove it';

    private HtaccessTree $tree;
    private Layout $layout;

    public function __construct(private Project $project)
    {
        $this->tree = new HtaccessTree($project->docroot);
        $this->layout = new Layout($project);
        if (in_array('/', $this->tree->unread, true)) {
            throw new Failure("{$project->docroot}/.htaccess " . self::UNREAD);
        }
        if (($this->tree->files['/'] ?? null)?->access->isRefused() === true) {
            throw new Failure("{$project->docroot}/.htaccess refuses the whole site to all visitors, or to all but some, and"
                . ' Howdah cannot tell them apart: take that out of it, or say it in your own nginx (howdah config prints a'
                . ' configuration to start with)');
        }
    }

    /** @return list<array{string, string}> regular expression of paths, and what becomes of them: a status, "front" or '' (sent) */
    public function rules(): array
    {
        return [
            ...$this->rewrites(),
            ...$this->sections(),
            ...$this->folders(),
            ...$this->each($this->grants(), ''),
            ...$this->each(array_map(self::ofAnyName(...), $this->layout->ofApplications()), '403'),
            ...$this->each(array_map(self::ofAnyName(...), $this->layout->published()), ''),
            ...$this->each(array_map(self::ofAnyName(...), $this->layout->ofProjects()), '403'),
        ];
    }

    /** @return list<array{string, string, bool}> front controllers of folders that are others than the site's own (Rewriting) */
    public function fronts(string $own): array
    {
        $isPublished = fn (string $script): bool => $script === $own || !$this->isRefused($script);

        return (new Fronts($this->project->docroot))->ofFolders($this->tree, $own, $isPublished);
    }

    /** @return list<string> what cannot be followed, a line for each file */
    public function unfollowed(): array
    {
        $lines = [];
        foreach (array_reverse($this->tree->files) as $folder => $file) {
            $all = $file->unfollowed();
            $named = array_slice($all, 0, self::NAMED);
            $more = count($all) - count($named);
            if ($named !== []) {
                $lines[] = "{$this->project->docroot}$folder.htaccess: not followed: " . implode(', ', $named)
                    . ($more > 0 ? " and $more more" : '')
                    . ($file->mayProtect() ? '; what they protect has to be protected in another way (docs/serve.md)'
                        : '; say it in the application, or in your own nginx (docs/serve.md)');
            }
        }
        foreach ($this->tree->unread as $folder) {
            $lines[] = "all below {$this->project->docroot}$folder is refused: .htaccess in it " . self::UNREAD;
        }
        if ($this->tree->unseen !== null) {
            $lines[] = "{$this->project->docroot} has so many files that .htaccess was not looked for in"
                . " {$this->tree->unseen} and what comes after it: serve fewer, or protect them in another way";
        }

        return $lines;
    }

    /** What no project publishes and this one has, and how to publish it; null: nothing. */
    public function kept(): ?string
    {
        $folders = array_filter($this->layout->folders(), fn (string $name): bool => !$this->isPublished($name));
        $files = array_values(array_filter($this->layout->files(), fn (string $name): bool => $this->isRefused("/$name")));
        $more = count($files) - self::NAMED;
        $names = [...array_map(static fn (string $name): string => "$name/", $folders), ...array_slice($files, 0, self::NAMED)];
        $ways = [
            ...($folders === [] ? [] : ['in a .htaccess there publishes a folder']),
            ...($files === [] ? [] : ["in {$this->project->docroot}/.htaccess in `<Files \"$files[0]\">` publishes a file"]),
        ];

        return $names === [] ? null : implode(', ', $names) . ($more > 0 ? " and $more more files" : '')
            . " in {$this->project->docroot}: not published, or only what browsers need of them (docs/serve.md);"
            . ' `Require all granted` ' . implode(', ', $ways);
    }

    /** Names of files may have ends of lines in them, and at their end, which "." and "$" would make an exception of. */
    private static function ofAnyName(string $regex): string
    {
        return '(?s)' . str_replace('$', '\z', $regex);
    }

    /** Who gives a file to a front controller says nothing of whether it is published. */
    private function isRefused(string $path): bool
    {
        foreach ($this->rules() as [$regex, $value]) {
            if ($value !== 'front' && preg_match("\x01$regex\x01", $path) === 1) {
                return $value !== '';
            }
        }

        return false;
    }

    private function isPublished(string $name): bool
    {
        return ($this->tree->files["/$name/"] ?? null)?->access->isRefused() === false;
    }

    /**
     * @param  list<string> $regexes
     * @return list<array{string, string}>
     */
    private function each(array $regexes, string $value): array
    {
        return array_map(static fn (string $regex): array => [$regex, $value], $regexes);
    }

    /** @return list<array{string, string}> */
    private function rewrites(): array
    {
        $rules = [];
        foreach ($this->tree->files as $file) {
            array_push($rules, ...$file->rewriting->rules, ...$file->statuses);
        }

        return $rules;
    }

    /**
     * <Files>: the last one in a file counts, and it counts more than its folder.
     *
     * @return list<array{string, string}>
     */
    private function sections(): array
    {
        $rules = [];
        foreach ($this->tree->files as $file) {
            $refuses = $file->access->isRefused() === true;
            $own = [];
            foreach ($file->sections as [$regex, $access]) {
                $refuses = $refuses || $access->isRefused() === true;
                if ($access->isRefused() !== null && $refuses) {
                    $own[] = [$regex, $access->isRefused() ? '403' : ''];
                }
            }
            array_push($rules, ...array_reverse($own));
        }

        return $rules;
    }

    /** @return list<array{string, string}> */
    private function folders(): array
    {
        $rules = [];
        foreach ($this->tree->files as $folder => $file) {
            if ($file->keepsScripts) {
                $rules[] = [Pattern::beginning($folder, '(?s:.*)\.php$'), '403'];
            }
        }
        foreach ($this->tree->files as $folder => $file) {
            $isRefused = $file->access->isRefused();
            // That the whole site is for all says nothing of its configuration.
            if ($isRefused === true) {
                $rules[] = [Pattern::beginning($folder), '403'];
            } elseif ($isRefused === false && $folder !== '/' && Pattern::isSound('^' . Pattern::quote($folder))) {
                $rules[] = ['^' . Pattern::quote($folder), ''];
            }
        }

        return $rules;
    }

    /**
     * Files that are published though a project usually does not.
     *
     * @return list<string>
     */
    private function grants(): array
    {
        $grants = [];
        foreach ($this->tree->files as $file) {
            foreach ($file->sections as [$regex, $access]) {
                if ($access->isRefused() === false) {
                    $grants[] = $regex;
                }
            }
        }

        return $grants;
    }
}
