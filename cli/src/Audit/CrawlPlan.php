<?php

declare(strict_types=1);

namespace Howdah\Cli\Audit;

use Random\Engine\Mt19937;
use Random\Randomizer;

/**
 * Follows the application's own links: every client asks for every page several times, those first that were asked for least,
 * so that a short time sees as much as it can. What nginx serves itself is asked for once.
 */
final class CrawlPlan implements Plan
{
    /** A calendar has pages without end, which differ in their query. */
    private const QUERIES_OF_A_PATH = 10;

    /** @var array<string, int> how often each page was asked for; -1: not again */
    private array $asked = [];

    /** @var array<int, array<string, true>> pages, by how often they were asked for; the least first */
    private array $levels = [];

    /** @var array<string, array<int, int>> how often each page was asked for, by client */
    private array $askedBy = [];

    /** @var array<string, int> pages, by path */
    private array $queries = [];
    private int $open = 0;
    private readonly Randomizer $random;

    /**
     * @param int $rounds how often each client asks for each page
     * @param int $least  requests in all, for an application that has few pages
     */
    public function __construct(
        private readonly Links $links,
        private readonly int $pagesMax,
        private readonly int $rounds,
        private readonly int $clients,
        private readonly int $least,
        int $seed,
    ) {
        $this->random = new Randomizer(new Mt19937($seed));
        $this->add('/');
    }

    public function next(int $client): ?Request
    {
        $rounds = max($this->rounds, (int) ceil($this->least / $this->clients / max(1, $this->open)));
        foreach ($this->levels as $level) {
            $pages = array_keys($level);
            $count = count($pages);
            $first = $this->random->getInt(0, $count - 1);
            for ($number = 0; $number < $count; $number++) {
                $page = (string) $pages[($first + $number) % $count];
                $times = $this->askedBy[$page][$client] ?? 0;
                if ($times < $rounds) {
                    $this->askedBy[$page][$client] = $times + 1;
                    $this->move($page, $this->asked[$page] + 1);

                    return new Request('GET', $page);
                }
            }
        }

        return null;
    }

    public function answered(int $client, Request $request, Answer $answer): void
    {
        if ($answer->realm === null && $answer->status !== 0) {
            $this->open -= $this->asked[$request->path] < 0 ? 0 : 1;
            $this->move($request->path, -1);
        }
        $found = $answer->isHtml() ? $this->links->of($answer->body, $request->path) : [];
        foreach ([...$found, $answer->location] as $target) {
            $page = $target === null ? null : $this->links->own($target, $request->path);
            if ($page !== null) {
                $this->add($page);
            }
        }
    }

    private function add(string $page): void
    {
        $path = strtok($page, '?') ?: '/';
        if (isset($this->asked[$page]) || $this->open >= $this->pagesMax) {
            return;
        }
        $this->queries[$path] = 1 + ($this->queries[$path] ?? 0);
        if ($this->queries[$path] <= self::QUERIES_OF_A_PATH) {
            $this->open++;
            $this->move($page, 0);
        }
    }

    /** To the pages that were asked for so often. */
    private function move(string $page, int $times): void
    {
        $before = $this->asked[$page] ?? -1;
        $this->asked[$page] = $times;
        if ($before >= 0) {
            unset($this->levels[$before][$page]);
            if ($this->levels[$before] === []) {
                unset($this->levels[$before]);
            }
        }
        if ($times >= 0) {
            $isNew = !isset($this->levels[$times]);
            $this->levels[$times][$page] = true;
            if ($isNew) {
                ksort($this->levels);
            }
        }
    }
}
