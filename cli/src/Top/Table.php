<?php

declare(strict_types=1);

namespace Howdah\Cli\Top;

use Howdah\Cli\Failure;
use Howdah\Cli\VisibleText;

/** Requests as lines of text: which of them, in which order. */
final readonly class Table
{
    /** What they can be sorted by, the most first. */
    public const SORTS = ['age' => 'age_us', 'wait' => 'wait_us', 'cpu' => 'cpu_us', 'memory' => 'memory'];

    private const LINE = '%-14s %9s %9s %8s %7s  %-15s  %s';

    public function __construct(public string $sort = 'age', public string $filter = '', public bool $stack = false)
    {
        if (!isset(self::SORTS[$sort])) {
            throw new Failure("--sort=$sort: it is one of " . implode(', ', array_keys(self::SORTS)));
        }
    }

    /**
     * @param  list<Worker> $workers
     * @return list<Request>
     */
    public function chosen(array $workers): array
    {
        $all = array_merge(...array_map(static fn (Worker $worker): array => $worker->requests, $workers));
        $chosen = array_values(array_filter($all, $this->isMeant(...)));
        $field = self::SORTS[$this->sort];
        usort($chosen, static fn (Request $a, Request $b): int => $b->number($field) <=> $a->number($field));

        return $chosen;
    }

    /**
     * @param  list<Worker> $workers
     * @return list<string> without control characters
     */
    public function lines(array $workers): array
    {
        $lines = [self::head()];
        foreach ($this->chosen($workers) as $request) {
            array_push($lines, ...$this->tell($request));
        }
        foreach ($workers as $worker) {
            $remark = $worker->remark();
            $lines = $remark === null ? $lines : [...$lines, $remark];
        }

        return array_map(VisibleText::line(...), $lines);
    }

    public static function head(): string
    {
        return sprintf(self::LINE, 'REQUEST', 'AGE', 'WAITED', 'CPU', 'MEMORY', 'CLIENT', 'WHAT');
    }

    /** @return list<string> */
    public function tell(Request $request): array
    {
        $cpu = $request->number('cpu_us') === 0 ? '-' : sprintf('%.3f', $request->seconds('cpu_us'));
        $what = "{$request->text('method')} {$request->text('uri')}: {$request->does()}";
        $lines = [sprintf(
            self::LINE,
            $request->name(),
            sprintf('%.3f', $request->seconds('age_us')),
            sprintf('%.3f', $request->seconds('wait_us')),
            $cpu,
            sprintf('%.1fM', $request->number('memory') / (1 << 20)),
            $request->text('client'),
            $what . ($request->at === null ? '' : ", at {$request->at}"),
        )];
        return $this->stack ? [...$lines, ...$request->details()] : $lines;
    }

    private function isMeant(Request $request): bool
    {
        $text = implode("\n", [
            $request->name(),
            $request->text('client'),
            $request->text('pool'),
            "{$request->text('method')} {$request->text('uri')}",
            $request->does(),
            (string) $request->at,
        ]);

        return $this->filter === '' || stripos($text, $this->filter) !== false;
    }
}
