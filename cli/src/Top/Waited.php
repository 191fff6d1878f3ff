<?php

declare(strict_types=1);

namespace Howdah\Cli\Top;

/** How long a request has waited so far for one thing at one line of its code, in waits that are over. */
final readonly class Waited
{
    private function __construct(
        private string $for,
        private string $subject,
        private int $count,
        private int $us,
        private int $longestUs,
        private ?Call $at,
    ) {
    }

    /** @param array<array-key, mixed> $fields */
    public static function of(array $fields): self
    {
        $text = static fn (string $name): string => is_string($fields[$name] ?? null) ? $fields[$name] : '';
        $number = static fn (string $name): int => is_int($fields[$name] ?? null) ? $fields[$name] : 0;
        $at = $text('file') === '' ? null : Call::of($fields);

        return new self($text('for'), $text('subject'), $number('count'), $number('us'), $number('longest_us'), $at);
    }

    /** What is waited for, in the words of the slow log (nginx/slow.c). */
    public static function thing(string $for, string $subject): string
    {
        return match ($for) {
            'sleep' => 'the end of its sleep',
            'lock' => $subject === '' ? 'a lock' : "the lock of $subject",
            'child' => 'a child process',
            'thread' => $subject === '' ? 'a thread' : "the look-up of $subject",
            'client' => 'its client',
            default => $subject === '' ? 'a connection' : $subject,
        };
    }

    public function __toString(): string
    {
        $often = $this->count > 1 ? sprintf(', %d times, %.3f s at most', $this->count, $this->longestUs / 1e6) : '';

        return sprintf('%.3f s for ', $this->us / 1e6) . self::thing($this->for, $this->subject) . $often
            . ($this->at === null ? '' : ", at {$this->at}");
    }

    /** @return array<string, mixed> for programs */
    public function toArray(): array
    {
        return [
            'for' => $this->for,
            'subject' => $this->subject === '' ? null : $this->subject,
            'seconds' => $this->us / 1e6,
            'count' => $this->count,
            'longest_seconds' => $this->longestUs / 1e6,
            'at' => $this->at?->toArray(),
        ];
    }
}
