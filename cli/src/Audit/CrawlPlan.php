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

    /** @var array<string, int> how often each page was asked for, in the order in which they were found */
    private array $asked = ['/' => 0];

    /** @var array<string, array<int, int>> the same, by client */
    private array $askedBy = [];

    /** @var array<string, int> pages, by path */
    private array $queries = [];
    private int $sent = 0;
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
    }

    public function next(int $client): ?Request
    {
        $open = array_filter(
            $this->asked,
            fn (int $times, string $page): bool => $this->roundsOf($page) > ($this->askedBy[$page][$client] ?? 0),
            ARRAY_FILTER_USE_BOTH,
        );
        if ($open === []) {
            return null;
        }
        $least = array_keys($open, min($open), true);
        $page = (string) $least[$this->random->getInt(0, count($least) - 1)];
        $this->asked[$page]++;
        $this->askedBy[$page][$client] = 1 + ($this->askedBy[$page][$client] ?? 0);
        $this->sent++;

        return new Request('GET', $page);
    }

    public function answered(int $client, Request $request, Answer $answer): void
    {
        if ($answer->realm === null && $answer->status !== 0) {
            unset($this->asked[$request->path]);
            // Known, so that it is not found again; never asked for again.
            $this->askedBy[$request->path] = [];

            return;
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
        if (isset($this->asked[$page]) || isset($this->askedBy[$page]) || count($this->asked) >= $this->pagesMax) {
            return;
        }
        $this->queries[$path] = 1 + ($this->queries[$path] ?? 0);
        if ($this->queries[$path] <= self::QUERIES_OF_A_PATH) {
            $this->asked[$page] = 0;
        }
    }

    private function roundsOf(string $page): int
    {
        $each = (int) ceil($this->least / $this->clients / max(1, count($this->asked)));

        return max($this->rounds, $each);
    }
}
