<?php

declare(strict_types=1);

namespace Howdah\Cli\Top;

use Howdah\Cli\VisibleText;
use Symfony\Component\Console\Helper\Helper;

/**
 * What the live view shows, and what each key does to it. It knows no terminal: lines of text come out.
 *
 * The request that is selected stays selected when others come, go or change places.
 */
final class Screen
{
    private const CTRL_C = "\x03";

    private const SORT_KEYS = ['a' => 'age', 'w' => 'wait', 'c' => 'cpu', 'm' => 'memory'];

    private const HELP = 'a w c m sort   / filter   Enter details   e end   Space pause   q leave';

    /** Above the requests: what is shown, the keys, the head of the table. */
    private const HEAD_LINES = 3;

    private string $sort;
    private string $filter;

    /** What is being typed; null: keys are commands. */
    private ?string $typed = null;

    /** The request that is to end if the next key is y; null: nobody is asked. */
    private ?string $asked = null;

    /** The one that is to end; null: none. */
    private ?string $ending = null;

    /** What became of it, until the next key. */
    private string $said = '';

    private ?string $selected = null;
    private bool $showsStack = false;
    private bool $isPaused = false;
    private bool $isOver = false;

    /** @var list<Worker> */
    private array $workers = [];

    public function __construct(string $sort = 'age', string $filter = '')
    {
        $this->sort = (new Table($sort))->sort;
        $this->filter = $filter;
    }

    /** @param list<Worker> $workers */
    public function update(array $workers): void
    {
        $this->workers = $workers;
    }

    public function isOver(): bool
    {
        return $this->isOver;
    }

    public function isPaused(): bool
    {
        return $this->isPaused;
    }

    /** The request that the user has said is to end, once; null: none. */
    public function takeEnding(): ?string
    {
        [$ending, $this->ending] = [$this->ending, null];

        return $ending;
    }

    public function say(string $what): void
    {
        $this->said = $what;
    }

    /** @param string $key a character, or the sequence that a terminal sends for a key */
    public function press(string $key): void
    {
        $this->said = '';
        if ($key === self::CTRL_C) {
            $this->isOver = true;
        } elseif ($this->asked !== null) {
            [$this->ending, $this->asked] = [$key === 'y' ? $this->asked : null, null];
        } elseif ($this->typed !== null) {
            $this->type($key);
        } else {
            $this->command($key);
        }
    }

    private function type(string $key): void
    {
        if ($key === "\n" || $key === "\r") {
            [$this->filter, $this->typed] = [(string) $this->typed, null];
        } elseif ($key === "\e") {
            $this->typed = null;
        } elseif ($key === "\x7f" || $key === "\x08") {
            $this->typed = (string) preg_replace('/.$/us', '', (string) $this->typed);
        } elseif (preg_match('/^[^\x00-\x1f]+$/', $key) === 1) {
            $this->typed .= $key;
        }
    }

    private function command(string $key): void
    {
        match ($key) {
            'q' => $this->isOver = true,
            'a', 'w', 'c', 'm' => $this->sort = self::SORT_KEYS[$key],
            '/' => $this->typed = $this->filter,
            'e' => $this->asked = $this->selectedRequest()?->name(),
            ' ' => $this->isPaused = !$this->isPaused,
            "\n", "\r" => $this->showsStack = !$this->showsStack,
            "\e" => $this->showsStack = false,
            "\e[A", "\eOA", 'k' => $this->move(-1),
            "\e[B", "\eOB", 'j' => $this->move(1),
            default => null,
        };
    }

    private function move(int $by): void
    {
        $names = array_map(static fn (Request $one): string => $one->name(), $this->chosen());
        $at = array_search($this->selected, $names, true);
        $to = $at === false ? 0 : max(0, min(count($names) - 1, $at + $by));
        $this->selected = $names[$to] ?? null;
    }

    /** @return list<Request> */
    private function chosen(): array
    {
        return (new Table($this->sort, $this->filter))->chosen($this->workers);
    }

    private function selectedRequest(): ?Request
    {
        foreach ($this->chosen() as $request) {
            if ($request->name() === $this->selected) {
                return $request;
            }
        }

        return null;
    }

    /** @return list<string> at most $height lines of at most $width columns, with the terminal's sequences for colours */
    public function lines(int $width, int $height): array
    {
        $chosen = $this->chosen();
        $remarks = array_values(array_filter(array_map(static fn (Worker $one): ?string => $one->remark(), $this->workers)));
        $stack = $this->stackLines();
        $room = max(1, $height - self::HEAD_LINES - count($remarks) - count($stack));
        $lines = [$this->title(count($chosen)), $this->prompt(), Table::head()];
        $lines = array_map(static fn (string $line): string => self::cut($line, $width), $lines);
        $lines[self::HEAD_LINES - 1] = "\e[7m" . str_pad($lines[self::HEAD_LINES - 1], $width) . "\e[0m";
        $table = new Table($this->sort, $this->filter);
        foreach ($this->window($chosen, $room) as $request) {
            $line = self::cut($table->tell($request)[0], $width);
            $lines[] = $request->name() === $this->selected ? "\e[1;7m$line\e[0m" : $line;
        }
        foreach ([...$stack, ...$remarks] as $line) {
            $lines[] = self::cut($line, $width);
        }

        return array_slice($lines, 0, $height);
    }

    /**
     * As many as there is room for, with the one that is selected among them.
     *
     * @param  list<Request> $chosen
     * @return list<Request>
     */
    private function window(array $chosen, int $room): array
    {
        foreach ($chosen as $at => $request) {
            if ($request->name() === $this->selected && $at >= $room) {
                return array_slice($chosen, $at - $room + 1, $room);
            }
        }

        return array_slice($chosen, 0, $room);
    }

    /** @return list<string> */
    private function stackLines(): array
    {
        $request = $this->showsStack ? $this->selectedRequest() : null;
        if ($request === null) {
            return [];
        }
        $lines = $request->details();

        return ['', "{$request->name()} {$request->does()}", ...($lines === [] ? ['    (no PHP code)'] : $lines)];
    }

    private function title(int $shown): string
    {
        $active = array_sum(array_map(static fn (Worker $worker): int => $worker->active, $this->workers));
        $silent = count(array_filter($this->workers, static fn (Worker $worker): bool => !$worker->answers));

        return sprintf('%d requests in flight, %d shown, by %s', $active, $shown, $this->sort)
            . sprintf('; %d workers', count($this->workers))
            . ($silent === 0 ? '' : ", $silent of which have not answered")
            . ($this->filter === '' ? '' : "; filter: {$this->filter}")
            . ($this->isPaused ? '; PAUSED' : '');
    }

    private function prompt(): string
    {
        if ($this->asked !== null) {
            $uri = $this->selectedRequest()?->text('uri');

            return "End {$this->asked} $uri? y ends it, any other key does not";
        }
        if ($this->said !== '') {
            return $this->said;
        }

        return $this->typed === null ? self::HELP : "Filter: {$this->typed}_   Enter takes it, Esc does not";
    }

    private static function cut(string $line, int $width): string
    {
        return Helper::substr(VisibleText::line($line), 0, $width);
    }
}
