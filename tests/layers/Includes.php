<?php

declare(strict_types=1);

namespace Howdah\Tests\Layers;

use FilesystemIterator;
use RecursiveDirectoryIterator;
use RecursiveIteratorIterator;
use RuntimeException;
use SplFileInfo;

/**
 * Which C files include which. A header and the source of its name count as one file.
 */
final class Includes
{
    /** @var array<string, list<string>> */
    private array $includes = [];

    private function __construct(private readonly string $folder)
    {
    }

    /**
     * @param list<string> $trees what is looked at of the folder
     * @return array<string, list<string>> file without its ending => what it includes
     */
    public static function read(string $folder, array $trees = ['.']): array
    {
        $self = new self($folder);
        foreach ($trees as $tree) {
            $files = new RecursiveDirectoryIterator("{$folder}/{$tree}", FilesystemIterator::SKIP_DOTS);
            /** @var SplFileInfo $file */
            foreach (new RecursiveIteratorIterator($files) as $file) {
                if (preg_match('/\.[ch]$/', $file->getPathname()) === 1) {
                    $self->add($file->getPathname());
                }
            }
        }

        return $self->includes;
    }

    private function add(string $path): void
    {
        $text = file_get_contents($path);
        if ($text === false) {
            throw new RuntimeException("{$path}: cannot be read");
        }
        $file = $this->name($path);
        $this->includes[$file] ??= [];
        preg_match_all('/^#\s*include "([^"]+)"/m', $text, $matches);
        foreach ($matches[1] as $included) {
            $found = realpath(dirname($path) . "/{$included}") ?: realpath("{$this->folder}/{$included}")
                ?: realpath("{$this->folder}/engine/{$included}");
            if ($found === false) {
                throw new RuntimeException("{$path}: {$included} is not there");
            }
            $name = $this->name($found);
            if ($name !== $file) {
                $this->includes[$file][] = $name;
            }
        }
    }

    private function name(string $path): string
    {
        $folder = (string) realpath($this->folder);

        return (string) preg_replace('/\.[ch]$/', '', substr((string) realpath($path), strlen($folder) + 1));
    }
}
