<?php

declare(strict_types=1);

namespace Howdah\Cli;

use Howdah\Cli\Htaccess\Fronts;

/**
 * Which folder of a project is public, where nobody says it.
 *
 * A project that has a public folder has its configuration, its packages and its logs beside it. Some have an index.php there
 * as well, for web servers that cannot be told another folder: to take that one would publish all of it.
 */
final readonly class DocumentRoot
{
    /** What public folders are called: by Composer's templates, frameworks, applications and those who rent out web space. */
    public const NAMES = ['public', 'webroot', 'web', 'html', 'htdocs', 'public_html', 'www', 'docroot', 'pub',
        'Web'];

    /** What lies in the folder of a whole project, and in no public one. */
    private const PROJECT = ['composer.json', 'vendor', 'config', 'src', 'app', 'artisan', 'bin', 'templates'];

    /** What only projects have: /usr/local has bin and src, and anybody's home may have app, config and templates. */
    private const SURE = ['composer.json', 'artisan', 'symfony.lock', 'bin/console', 'bin/cake', 'yii', 'spark',
        'vendor/autoload.php'];

    private const EXAMPLES = 3;

    /** @param list<string> $entries names of scripts that begin an application */
    public function __construct(private string $root, private array $entries)
    {
    }

    /** @param bool $hasWorker whether a worker script is named: then a front controller need not be there */
    public function find(bool $hasWorker): string
    {
        foreach (self::NAMES as $name) {
            if ($this->hasEntry("{$this->root}/$name")) {
                return "{$this->root}/$name";
            }
        }
        $isPublic = is_dir("{$this->root}/public") && ($hasWorker || !$this->hasEntry($this->root));

        return $isPublic ? "{$this->root}/public" : $this->root;
    }

    /** Whether the document root is the public folder of a project that lies around it; in doubt it is the project itself. */
    public static function isPublicOf(Project $project): bool
    {
        $around = dirname($project->docroot);

        return in_array(basename($project->docroot), self::NAMES, true) && $around !== '/'
            && (self::isSurely($around) || file_exists("$around/vendor")) && !self::isSurely($project->docroot);
    }

    /** Whether a whole project lies there, by what nothing else has. */
    public static function isSurely(string $folder): bool
    {
        return self::hasAny($folder, self::SURE);
    }

    /** Why there is nothing to serve, and the ways out: none of them publishes what a project keeps to itself. */
    public function failure(?string $given): Failure
    {
        $scripts = implode(' or ', $this->entries);
        if ($given !== null) {
            return new Failure("there is nothing to serve in $given (--docroot): it has no $scripts; name another folder, or"
                . ' the script with --worker-script=FILE');
        }
        $names = implode('/, ', self::NAMES) . '/';
        $found = $this->otherFolders();
        $way = $found === []
            ? 'name its public folder with --docroot=DIR or its script with --worker-script=FILE'
            : 'if its public folder is ' . implode(' or ', $found) . ', say so: --docroot=' . $found[0]
                . '; or name the script with --worker-script=FILE';
        $isPublic = is_file("{$this->root}/index.html") && !self::isSurely($this->root);
        if ($isPublic || (!self::hasAny($this->root, self::PROJECT) && preg_grep('/\.php$/D', $this->names()) !== [])) {
            $way .= ', or use --mode=classic to serve a folder of scripts and pages that has no index.php';
        }

        return new Failure("there is nothing to serve in {$this->root}: $scripts is neither there nor in $names (the folders"
            . " that were looked at): $way");
    }

    /** @param list<string> $names */
    private static function hasAny(string $folder, array $names): bool
    {
        return array_filter($names, static fn (string $name): bool => file_exists("$folder/$name")) !== [];
    }

    private function hasEntry(string $folder): bool
    {
        return array_filter($this->entries, static fn (string $name): bool => is_file("$folder/$name")) !== []
            || (is_dir($folder) && (new Fronts($folder))->name() !== null);
    }

    /** @return list<string> names of folders that have an entry */
    private function otherFolders(): array
    {
        $names = array_filter(
            array_diff($this->names(), self::PROJECT),
            fn (string $name): bool => $name[0] !== '.' && $this->hasEntry("{$this->root}/$name"),
        );

        return array_slice(array_values($names), 0, self::EXAMPLES);
    }

    /** @return list<string> of what lies in the project's folder, sorted */
    private function names(): array
    {
        return scandir($this->root) ?: [];
    }
}
