<?php

declare(strict_types=1);

namespace Howdah\Tests\Layers;

/**
 * Which files need each other in a circle.
 */
final class Circles
{
    /** @var array<string, int> in the order in which they were met */
    private array $met = [];
    /** @var array<string, int> the first one that each can go back to */
    private array $back = [];
    /** @var list<string> */
    private array $way = [];
    /** @var list<list<string>> */
    private array $circles = [];

    /**
     * @param array<string, list<string>> $needs file => those that it needs
     */
    public function __construct(private array $needs)
    {
        ksort($this->needs);
        foreach (array_keys($this->needs) as $file) {
            if (!isset($this->met[$file])) {
                $this->follow($file);
            }
        }
    }

    /**
     * @return list<list<string>> those of more than so many files
     */
    public function largerThan(int $size): array
    {
        return array_values(array_filter($this->circles, static fn (array $circle): bool => count($circle) > $size));
    }

    /**
     * Of a circle's files each with those of the circle that it needs.
     *
     * @param list<string> $circle
     */
    public function explain(array $circle): string
    {
        $lines = '';
        foreach ($circle as $file) {
            $lines .= "    {$file} needs " . implode(', ', array_intersect($this->needs[$file], $circle)) . "\n";
        }

        return $lines;
    }

    /** Tarjan's strongly connected components. */
    private function follow(string $file): void
    {
        $this->met[$file] = $this->back[$file] = count($this->met);
        $this->way[] = $file;
        foreach ($this->needs[$file] ?? [] as $next) {
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
