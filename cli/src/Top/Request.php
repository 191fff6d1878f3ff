<?php

declare(strict_types=1);

namespace Howdah\Cli\Top;

use Howdah\Cli\Control\ProcessStat;

/** A request in flight, as its worker told of it (nginx/top.c). */
final readonly class Request
{
    /** @var list<Call> its backtrace, the innermost call first */
    public array $stack;

    /** The line at which its code stands, and the C function that it has called there, if any. */
    public ?Call $at;

    /** @var list<Waited>|null where it has waited longest, the longest first; null: nobody counts it (howdah_slow) */
    public ?array $waited;

    /** @param array<array-key, mixed> $fields */
    private function __construct(public int $server, public int $worker, private array $fields)
    {
        $places = $fields['waited'] ?? null;
        $places = is_array($places) ? array_values(array_filter($places, is_array(...))) : null;
        $this->waited = $places === null ? null : array_map(Waited::of(...), $places);
        $stack = is_array($fields['stack'] ?? null) ? $fields['stack'] : [];
        $this->stack = array_map(Call::of(...), array_values(array_filter($stack, is_array(...))));
        $this->at = isset($fields['file']) ? Call::of($fields) : null;
    }

    /** Null where it is none. */
    public static function of(int $server, int $worker, mixed $fields): ?self
    {
        return is_array($fields) ? new self($server, $worker, $fields) : null;
    }

    /** As long as its worker lives. */
    public function name(): string
    {
        return "{$this->worker}-{$this->number('request')}";
    }

    public function text(string $field): string
    {
        $value = $this->fields[$field] ?? '';

        return is_string($value) ? $value : '';
    }

    public function number(string $field): int
    {
        $value = $this->fields[$field] ?? 0;

        return is_int($value) ? $value : 0;
    }

    public function seconds(string $field): float
    {
        return $this->number($field) / 1e6;
    }

    /** What it does, in words. */
    public function does(): string
    {
        return match ($this->text('state')) {
            'queued' => 'waits for a realm',
            'computes' => 'computes',
            'holds' => 'holds its worker, in C code',
            default => sprintf('waits %.3f s for %s', $this->seconds('since_us'), $this->waitsFor()),
        };
    }

    private function waitsFor(): string
    {
        $thing = Waited::thing($this->text('for'), $this->text('subject'));

        return $this->text('for') === 'lock' ? $thing . $this->heldBy() : $thing;
    }

    private function heldBy(): string
    {
        $process = $this->number('held_by_process');

        return match (true) {
            $process === 0 => '',
            $this->number('held_by_request') > 0 => ", held by request {$this->worker}-{$this->number('held_by_request')}",
            $this->number('held_by_realm') > 0 => ", held by realm {$this->number('held_by_realm')}, since an earlier request",
            $process === $this->worker => ', held by its own worker, or a child of it',
            ProcessStat::parentOf($process) === $this->server => ", held by another worker, process $process",
            default => ", held by process $process",
        };
    }

    /** @return list<string> its backtrace, the innermost call first, and where it has waited */
    public function details(): array
    {
        return [
            ...array_map(
                static fn (int $number, Call $call): string => "    #$number $call",
                array_keys($this->stack),
                $this->stack,
            ),
            ...array_map(static fn (Waited $one): string => "    waited $one", $this->waited ?? []),
        ];
    }

    /** @return array<string, mixed> for programs */
    public function toArray(): array
    {
        return [
            'server' => $this->server,
            'worker' => $this->worker,
            'request' => $this->number('request'),
            'realm' => $this->number('realm'),
            'mode' => $this->text('mode'),
            'pool' => $this->text('pool'),
            'client' => $this->text('client'),
            'method' => $this->text('method'),
            'uri' => $this->text('uri'),
            'age_seconds' => $this->seconds('age_us'),
            'state' => $this->text('state'),
            'for' => $this->text('for') === '' ? null : $this->text('for'),
            'subject' => $this->text('subject') === '' ? null : $this->text('subject'),
            'since_seconds' => $this->text('for') === '' ? null : $this->seconds('since_us'),
            'held_by' => $this->number('held_by_process') === 0 ? null : [
                'process' => $this->number('held_by_process'),
                'realm' => $this->number('held_by_realm') ?: null,
                'request' => $this->number('held_by_request') ?: null,
            ],
            'wait_seconds' => $this->seconds('wait_us'),
            'waited' => $this->waited === null ? null : array_map(static fn (Waited $o): array => $o->toArray(), $this->waited),
            'cpu_seconds' => $this->number('cpu_us') === 0 ? null : $this->seconds('cpu_us'),
            'memory_bytes' => $this->number('memory'),
            'at' => $this->at?->toArray(),
            'stack' => array_map(static fn (Call $call): array => $call->toArray(), $this->stack),
        ];
    }
}
