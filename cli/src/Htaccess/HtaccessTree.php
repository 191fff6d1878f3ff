<?php

declare(strict_types=1);

namespace Howdah\Cli\Htaccess;

use Howdah\Cli\ProjectText;

/** All .htaccess files below a document root, as they are when the server starts; the deepest first. */
final class HtaccessTree
{
    /** Of files and folders that are looked at: some tenths of a second. Visitors' uploads may be millions. */
    private const MOST = 100_000;

    /** What nobody gets from them is known without (Layout). */
    private const SKIPPED = ['.git', '.svn', '.hg', 'node_modules'];

    /** @var array<string, HtaccessFile> by the folder, as in an address, with a slash at both ends */
    public readonly array $files;

    /** A folder from which on nobody has looked; null: all was looked at. */
    public ?string $unseen = null;

    /** @var list<string> folders whose file cannot be read */
    public array $unread = [];

    private int $seen = 0;

    public function __construct(private readonly string $root)
    {
        $found = [];
        // Folders near the root first: what is not looked at then is far below.
        for ($level = ['/']; $level !== []; $level = $below) {
            $below = [];
            foreach ($level as $folder) {
                if ($this->seen > self::MOST) {
                    $this->unseen ??= $folder;
                    continue;
                }
                array_push($below, ...$this->look($folder, $found));
            }
        }
        $this->files = array_reverse($found);
    }

    /**
     * @param  array<string, HtaccessFile> $found
     * @return list<string> the folders below
     */
    private function look(string $folder, array &$found): array
    {
        $below = [];
        foreach (@scandir($this->root . $folder, SCANDIR_SORT_NONE) ?: [] as $name) {
            $this->seen++;
            if ($name === '.htaccess') {
                $text = ProjectText::of("{$this->root}$folder$name");
                // One that cannot be read, or is no text, is one of which nobody knows what it forbids: Apache refuses as well.
                $isRead = $text !== null && !str_contains($text, "\0");
                $found[$folder] = new HtaccessFile($folder, $isRead ? $text : 'Require all denied');
                if (!$isRead) {
                    $this->unread[] = $folder;
                }
            } elseif ($this->isSeen($name) && !$this->isLink("$folder$name")) {
                if (is_dir("{$this->root}$folder$name")) {
                    $below[] = "$folder$name/";
                }
            }
        }

        return $below;
    }

    /** Whether visitors get anything of a folder of that name: RFC 8615 has one that begins with a dot. */
    private function isSeen(string $name): bool
    {
        return $name === '.well-known' || ($name[0] !== '.' && !in_array($name, self::SKIPPED, true));
    }

    /** A link to a folder below the same root would lead in circles. One to elsewhere has its own files there. */
    private function isLink(string $path): bool
    {
        return is_link($this->root . $path) && str_starts_with("{$this->root}/", realpath($this->root . $path) . '/');
    }
}
