<?php

declare(strict_types=1);

namespace Howdah\Cli\Top;

/** A call in PHP code, and the line that makes it. */
final readonly class Call
{
    private function __construct(public string $function, public string $file, public int $line)
    {
    }

    /** @param array<array-key, mixed> $fields */
    public static function of(array $fields): self
    {
        $text = static fn (string $name): string => is_string($fields[$name] ?? null) ? $fields[$name] : '';
        $class = $text('class');
        $function = ($class === '' ? '' : "$class::") . $text('function');

        return new self($function, $text('file'), is_int($fields['line'] ?? null) ? $fields['line'] : 0);
    }

    public function __toString(): string
    {
        return ($this->function === '' ? '' : "{$this->function}() ") . "{$this->file}:{$this->line}";
    }

    /** @return array{function: ?string, file: string, line: int} */
    public function toArray(): array
    {
        return ['function' => $this->function === '' ? null : $this->function, 'file' => $this->file, 'line' => $this->line];
    }
}
