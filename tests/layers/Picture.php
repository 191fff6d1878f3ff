<?php

declare(strict_types=1);

namespace Howdah\Tests\Layers;

use RuntimeException;

/**
 * Which parts of the C code include which, as a Mermaid diagram for docs/architecture.md: an arrow for each part that another
 * includes, but for those that follow from two others.
 */
final class Picture
{
    private const BEGIN = "```mermaid\n";
    private const END = "```\n";

    /** @var array<string, list<string>> part => the parts that it includes */
    private array $arrows = [];

    /**
     * @param array<string, list<string>> $includes file => those that it includes
     */
    public function __construct(array $includes)
    {
        $parts = [];
        foreach ($includes as $file => $included) {
            $from = $this->part($file);
            $parts[$from] ??= [];
            foreach (array_map($this->part(...), $included) as $to) {
                if ($to !== $from) {
                    $parts[$from][$to] = true;
                    $parts[$to] ??= [];
                }
            }
        }
        $this->arrows = array_map(array_keys(...), $parts);
    }

    public function draw(): string
    {
        $parts = array_keys($this->arrows);
        // From above to below: who is reached from fewer parts first.
        usort($parts, fn (string $a, string $b): int => [$this->above($a), $a] <=> [$this->above($b), $b]);
        $boxes = $lines = '';
        foreach ($parts as $from) {
            $boxes .= $this->box($from) === $from ? '' : "  {$this->box($from)}[\"{$from}\"]\n";
            foreach ($parts as $to) {
                if (in_array($to, $this->arrows[$from], true) && !$this->follows($from, $to)) {
                    $lines .= "  {$this->box($from)} --> {$this->box($to)}\n";
                }
            }
        }

        return self::BEGIN . "flowchart TD\n{$boxes}{$lines}" . self::END;
    }

    /**
     * The page with this picture in the place of its own.
     */
    public function put(string $page): string
    {
        $begin = strpos($page, self::BEGIN);
        $end = $begin === false ? false : strpos($page, "\n" . self::END, $begin);
        if ($begin === false || $end === false) {
            throw new RuntimeException('the page has no place for the picture: a block that begins with ```mermaid');
        }

        return substr_replace($page, $this->draw(), $begin, $end + 1 + strlen(self::END) - $begin);
    }

    /** A folder, or what stands beside those of engine/: howdah.h, and the few files that all others log and check with. */
    private function part(string $file): string
    {
        [$tree, $rest] = explode('/', $file, 2);
        if ($tree !== 'engine') {
            return $tree;
        }
        if (str_contains($rest, '/')) {
            return explode('/', $rest)[0];
        }

        return ['howdah' => 'howdah.h', 'engine' => 'engine.c'][$rest] ?? 'log, check, advice';
    }

    private function box(string $part): string
    {
        return (string) preg_replace('/\W+/', '_', $part);
    }

    /** Whether one comes to it by way of a third; the parts of a circle have all of their arrows. */
    private function follows(string $from, string $to): bool
    {
        foreach ($this->arrows[$from] as $between) {
            $reached = $this->reached($between);
            if ($between !== $to && in_array($to, $reached, true) && !in_array($from, $reached, true)) {
                return true;
            }
        }

        return false;
    }

    /**
     * @return list<string>
     */
    private function reached(string $from): array
    {
        $found = [];
        $open = $this->arrows[$from];
        while (($part = array_pop($open)) !== null) {
            if (!in_array($part, $found, true)) {
                $found[] = $part;
                array_push($open, ...$this->arrows[$part]);
            }
        }

        return $found;
    }

    /** How many parts it is reached from. */
    private function above(string $part): int
    {
        $reaches = fn (string $from): bool => in_array($part, $this->reached($from), true);

        return count(array_filter(array_keys($this->arrows), $reaches));
    }
}
