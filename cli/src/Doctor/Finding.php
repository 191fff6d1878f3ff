<?php

declare(strict_types=1);

namespace Howdah\Cli\Doctor;

use Howdah\Cli\Failure;
use JsonSerializable;

/** One thing that was looked at, and what is to be said about it: for a note or problem also its cause and the way out. */
final readonly class Finding implements JsonSerializable
{
    private function __construct(
        public Rating $rating,
        public string $subject,
        public string $message,
    ) {
    }

    public static function ok(string $subject, string $message): self
    {
        return new self(Rating::Ok, $subject, $message);
    }

    public static function note(string $subject, string $message): self
    {
        return new self(Rating::Note, $subject, $message);
    }

    public static function problem(string $subject, string|Failure $what): self
    {
        return new self(Rating::Problem, $subject, is_string($what) ? $what : $what->getMessage());
    }

    /** @return array{subject: string, rating: string, message: string} */
    public function jsonSerialize(): array
    {
        return ['subject' => $this->subject, 'rating' => $this->rating->value, 'message' => $this->message];
    }
}
