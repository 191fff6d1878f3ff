<?php

declare(strict_types=1);

namespace Howdah\Tests\Runner;

/** The processes of a test run: also those whose parents have ended, where they were seen before or stayed in its session. */
final class Tree
{
    /** What only waits for others: nobody would notice. */
    private const IDLE = ['make', 'sh', 'bash', 'env', 'timeout'];

    /** @var array<int, string> number => start */
    private array $known = [];

    /** @param int $root leads a session of its own */
    public function __construct(private readonly int $root)
    {
    }

    public function lives(): bool
    {
        return !in_array(self::processes()[$this->root]['state'] ?? 'X', ['X', 'Z'], true);
    }

    /** @return list<int> those that are not stopped already, and do something */
    public function candidates(): array
    {
        $all = self::processes();
        $mine = [$this->root => $all[$this->root]['start'] ?? ''];
        do {
            $count = count($mine);
            foreach ($all as $number => $process) {
                $seen = ($this->known[$number] ?? '') === $process['start'];
                if ($seen || isset($mine[$process['parent']]) || $process['session'] === $this->root) {
                    $mine[$number] = $process['start'];
                }
            }
        } while (count($mine) > $count);
        $this->known = $mine;
        $goes = static fn (int $number): bool => in_array($all[$number]['state'] ?? 'X', ['R', 'S', 'D'], true)
            && !in_array($all[$number]['name'], self::IDLE, true);

        return array_values(array_filter(array_keys($mine), $goes));
    }

    /** @return array<int, array{start: string, state: string, parent: int, session: int, name: string}> all there are, by number */
    private static function processes(): array
    {
        $processes = [];
        foreach (glob('/proc/[0-9]*/stat') ?: [] as $file) {
            // The name may have anything in it.
            if (preg_match('~^(\d+) \((.*)\) (.*)$~s', (string) @file_get_contents($file), $match) === 1) {
                $fields = explode(' ', $match[3]);
                $processes[(int) $match[1]] = [
                    'start' => $fields[19],
                    'state' => $fields[0],
                    'parent' => (int) $fields[1],
                    'session' => (int) $fields[3],
                    'name' => $match[2],
                ];
            }
        }

        return $processes;
    }
}
