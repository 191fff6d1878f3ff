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

    /** What a folder's script gets as PATH_INFO. */
    public const REST = 'howdah_rest';

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
        $fronts = $text === null ? [] : (new HtaccessFile('/', $text))->rewriting->fronts();
        foreach (['/a', '/'] as $address) {
            foreach ($fronts as [$regex, $script]) {
                [$file] = self::parts($script);
                if (preg_match("\x01$regex\x01", $address) === 1 && dirname($file) === '/' && is_file($this->docroot . $file)) {
                    return basename($file);
                }
            }
        }

        return null;
    }

    /**
     * Those of folders, as far as they are others than the site's own.
     *
     * @param  string                 $own         its address
     * @param  callable(string): bool $isPublished whether a script of that address may be run
     * @return list<array{string, string}> regular expression of addresses, and the address of the script, where it gets the
     *         rest of the path with the variable REST behind it
     */
    public function ofFolders(HtaccessTree $tree, string $own, callable $isPublished): array
    {
        $fronts = [];
        foreach ($tree->files as $folder => $file) {
            foreach ($file->rewriting->fronts() as [$regex, $script]) {
                [$path, $hasRest] = self::parts($script);
                if (is_file($this->docroot . $path) && $isPublished($path)) {
                    $rest = '(?=' . Pattern::quote(rtrim($folder, '/')) . '(?<' . self::REST . '>/(?s:.*)))';
                    $fronts[] = $hasRest
                        ? ['^' . $rest . substr($regex, 1), $path . '$' . self::REST]
                        : [$regex, $path];
                }
            }
        }
        while ($fronts !== [] && $fronts[array_key_last($fronts)][1] === $own) {
            array_pop($fronts);
        }

        return $fronts;
    }

    /** @return array{string, bool} the script's address, and whether it gets the rest of the path */
    private static function parts(string $script): array
    {
        $hasRest = str_ends_with($script, '/...');

        return [$hasRest ? substr($script, 0, -4) : $script, $hasRest];
    }
}
