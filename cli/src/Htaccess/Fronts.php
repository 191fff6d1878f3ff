<?php

declare(strict_types=1);

namespace Howdah\Cli\Htaccess;

use Howdah\Cli\Layout;
use Howdah\Cli\ProjectText;

/**
 * Which script has what is no file: the front controller of the site, and those of folders, which .htaccess files name.
 *
 * A script that is not there is none: the file was written for another address, as of an application that has moved.
 */
final readonly class Fronts
{
    private const USUAL = 'index.php';

    public function __construct(private string $docroot)
    {
    }

    /** The name of the site's front controller; null: there is none. */
    public function name(): ?string
    {
        $usual = Layout::frontIn($this->docroot, self::USUAL);
        if (is_file("{$this->docroot}/$usual")) {
            return $usual;
        }
        $text = ProjectText::of("{$this->docroot}/.htaccess");
        $rewriting = $text === null ? null : (new HtaccessFile('/', $text))->rewriting;
        foreach ($rewriting?->fronts($rewriting->isOn === true) ?? [] as [$regex, $script]) {
            if (preg_match("\x01$regex\x01", '/a') === 1 && dirname($script) === '/' && is_file($this->docroot . $script)) {
                return basename($script);
            }
        }

        return null;
    }

    /**
     * Those of folders, as far as they are others than the site's own.
     *
     * @param  string                 $own         its address
     * @param  callable(string): bool $isPublished whether a script of that address may be run
     * @return list<array{string, string, bool}> as Rewriting has them
     */
    public function ofFolders(HtaccessTree $tree, string $own, callable $isPublished): array
    {
        $fronts = [];
        foreach ($tree->files as $folder => $file) {
            foreach ($file->rewriting->fronts(self::isOn($tree, $folder)) as $front) {
                if (is_file($this->docroot . $front[1]) && $isPublished($front[1])) {
                    $fronts[] = $front;
                }
            }
        }
        while ($fronts !== [] && array_slice($fronts[array_key_last($fronts)], 1) === [$own, false]) {
            array_pop($fronts);
        }

        return $fronts;
    }

    /** RewriteEngine is that of the folder, or of the nearest one above it that has it. */
    private static function isOn(HtaccessTree $tree, string $folder): bool
    {
        foreach ($tree->files as $above => $file) {
            if (str_starts_with($folder, $above) && $file->rewriting->isOn !== null) {
                return $file->rewriting->isOn;
            }
        }

        return false;
    }
}
