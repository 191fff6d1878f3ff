<?php

declare(strict_types=1);

namespace Howdah\Tests\Layers;

use FilesystemIterator;
use RecursiveDirectoryIterator;
use RecursiveIteratorIterator;
use RuntimeException;
use SplFileInfo;

/**
 * Which C files include each other in a circle. A header and the source of its name count as one file.
 */
final class Circles
{
    /** @var array<string, list<string>> file without its ending => what it includes */
    private array $includes = [];
    /** @var array<string, int> in the order in which they were met */
    private array $met = [];
    /** @var array<string, int> the first one that each can go back to */
    private array $back = [];
    /** @var list<string> */
    private array $way = [];
    /** @var list<list<string>> */
    private array $circles = [];

    /**
     * @param list<string> $trees what is looked at of the folder
     */
    public function __construct(private readonly string $folder, array $trees = ['.'])
    {
        foreach ($trees as $tree) {
            $files = new RecursiveDirectoryIterator("{$folder}/{$tree}", FilesystemIterator::SKIP_DOTS);
            /** @var SplFileInfo $file */
            foreach (new RecursiveIteratorIterator($files) as $file) {
                if (preg_match('/\.[ch]$/', $file->getPathname()) === 1) {
                    $this->read($file->getPathname());
                }
            }
        }
        ksort($this->includes);
        foreach (array_keys($this->includes) as $file) {
            if (!isset($this->met[$file])) {
                $this->follow($file);
            }
        }
    }

    /**
     * @return array<string, list<string>> file without its ending => what it includes
     */
    public function includes(): array
    {
        return $this->includes;
    }

    public function files(): int
    {
        return count($this->includes);
    }

    /**
     * @return list<list<string>> those of more than so many files
     */
    public function largerThan(int $size): array
    {
        return array_values(array_filter($this->circles, static fn (array $circle): bool => count($circle) > $size));
    }

    /**
     * Of a circle's files each with those of the circle that it includes.
     *
     * @param list<string> $circle
     */
    public function explain(array $circle): string
    {
        $lines = '';
        foreach ($circle as $file) {
            $lines .= "    {$file} includes " . implode(', ', array_intersect($this->includes[$file], $circle)) . "\n";
        }

        return $lines;
    }

    private function read(string $path): void
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

    /** Tarjan's strongly connected components. */
    private function follow(string $file): void
    {
        $this->met[$file] = $this->back[$file] = count($this->met);
        $this->way[] = $file;
        foreach ($this->includes[$file] ?? [] as $next) {
            if (!isset($this->met[$next])) {
                $this->follow($next);
                $this->back[$file] = min($this->back[$file], $this->back[$next]);
            } elseif (in_array($next, $this->way, true)) {
                $this->back[$file] = min($this->back[$file], $this->met[$next]);
            }
        }
        if ($this->back[$file] !== $this->met[$file]) {
            return;
        }
        $circle = [];
        do {
            $last = (string) array_pop($this->way);
            $circle[] = $last;
        } while ($last !== $file);
        sort($circle);
        $this->circles[] = $circle;
    }
}
