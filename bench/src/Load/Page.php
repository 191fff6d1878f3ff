<?php

declare(strict_types=1);

namespace Howdah\Bench\Load;

/** What is asked for, and what the answer has to be. */
final readonly class Page
{
    private function __construct(
        public string $path,
        private ?string $body,
        private ?string $pattern,
        private bool $oneLength,
    ) {
    }

    public static function saying(string $path, string $body): self
    {
        return new self($path, $body, null, true);
    }

    /** For a body that tells times or process ids; $oneLength: and yet has always the same length, which is watched under load. */
    public static function matching(string $path, string $pattern, bool $oneLength = false): self
    {
        return new self($path, null, $pattern, $oneLength);
    }

    /** Null when the answer is right, else what is wrong with it. */
    public function fault(?Answer $answer): ?string
    {
        if ($answer === null) {
            return 'no whole answer came';
        }
        if ($answer->status !== 200) {
            return "status $answer->status";
        }
        $right = $this->pattern === null ? $answer->body === $this->body : preg_match($this->pattern, $answer->body) === 1;

        return $right ? null : 'body ' . (string) json_encode(substr($answer->body, 0, 200), JSON_INVALID_UTF8_SUBSTITUTE);
    }

    /** Whether all right answers have the same length, so that it can be watched under load. */
    public function hasOneLength(): bool
    {
        return $this->oneLength;
    }
}
