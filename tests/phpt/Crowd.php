<?php

declare(strict_types=1);

namespace Howdah\Tests\Phpt;

/** Carries tasks out, so many at once, in the order given but for those that must not meet. */
final class Crowd
{
    /** How far to look for a task that may run beside those that do. */
    private const LOOK_AHEAD = 200;

    /** @var list<Task> */
    private array $waiting = [];
    /** @var array<int, array{Exchange, Task, Task}> with the task that it began with, by the socket's number */
    private array $running = [];
    /** @var array<string, array<string, true>> who met whom */
    private array $met = [];
    /** @var array<string, Result> */
    private array $results = [];

    public function __construct(private readonly int $atOnce, private readonly float $seconds)
    {
    }

    /**
     * @param list<Task>               $tasks
     * @param ?callable(Result): void  $each  is called as they end
     *
     * @return array<string, Result> by name
     */
    public function run(array $tasks, ?callable $each = null): array
    {
        // Those that run alone wait for all others anyway.
        $alone = array_filter($tasks, static fn (Task $task): bool => in_array('all', $task->conflicts, true));
        $this->waiting = [...array_values(array_diff_key($tasks, $alone)), ...array_values($alone)];
        $this->results = $this->met = [];
        do {
            while (count($this->running) < $this->atOnce && ($task = $this->choose()) !== null) {
                $this->begin($task, $task);
            }
            $this->wait($each);
        } while ($this->running !== [] || $this->waiting !== []);

        return $this->results;
    }

    private function choose(): ?Task
    {
        foreach (array_slice($this->waiting, 0, self::LOOK_AHEAD, true) as $place => $task) {
            if ($this->mayRun($task)) {
                array_splice($this->waiting, $place, 1);

                return $task;
            }
        }

        return null;
    }

    private function mayRun(Task $task): bool
    {
        $busy = array_merge(...array_map(static fn (array $one): array => $one[2]->conflicts, array_values($this->running)));

        return $this->running === []
            || !in_array('all', [...$task->conflicts, ...$busy], true) && array_intersect($task->conflicts, $busy) === [];
    }

    private function begin(Task $task, Task $first): void
    {
        $exchange = new Exchange($task->port, $task->request, $this->seconds);
        if ($task === $first) {
            $this->met[$task->name] = [];
            foreach ($this->running as [, , $other]) {
                $this->met[$task->name][$other->name] = $this->met[$other->name][$task->name] = true;
            }
        }
        $this->running[get_resource_id($exchange->socket)] = [$exchange, $task, $first];
    }

    private function wait(?callable $each): void
    {
        $read = array_map(static fn (array $one): mixed => $one[0]->socket, array_values($this->running));
        $sending = array_filter($this->running, static fn (array $one): bool => $one[0]->isSending());
        $write = array_map(static fn (array $one): mixed => $one[0]->socket, array_values($sending));
        $except = null;
        // A signal may come in between.
        if ($read === [] || @stream_select($read, $write, $except, 1) === false) {
            return;
        }
        foreach ($write as $socket) {
            $this->running[get_resource_id($socket)][0]->send();
        }
        foreach ($read as $socket) {
            $this->running[get_resource_id($socket)][0]->receive();
        }
        foreach ($this->running as $id => [$exchange, $task, $first]) {
            $exchange->lookAtTheClock();
            if ($exchange->answer === null) {
                continue;
            }
            unset($this->running[$id]);
            if ($task === $first) {
                $neighbours = array_keys($this->met[$task->name]);
                $this->results[$task->name] =
                    new Result($task, $exchange->answer, microtime(true) - $exchange->started, $neighbours);
                if ($each !== null) {
                    $each($this->results[$task->name]);
                }
            }
            if ($task->next !== null) {
                $this->begin($task->next, $first);
            }
        }
    }
}
