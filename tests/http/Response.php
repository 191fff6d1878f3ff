<?php

declare(strict_types=1);

namespace Howdah\HttpTests;

use PHPUnit\Framework\Assert;

/** What came back: a status of 0 means that nothing did, and then the body is curl's message. */
final readonly class Response
{
    /**
     * @param array<string, list<string>> $headers values by lower-case name
     * @param string                      $error   why it is not whole, as curl says it; '' where it is
     */
    public function __construct(
        public int $status,
        public array $headers,
        public string $body,
        public float $seconds,
        public float $firstByteSeconds,
        public string $error = '',
    ) {
    }

    public function header(string $name): ?string
    {
        return $this->headers[strtolower($name)][0] ?? null;
    }

    /** @return array<array-key, mixed> */
    public function json(): array
    {
        $value = json_decode($this->body, true);
        Assert::assertIsArray($value, "no JSON, status {$this->status}: {$this->body}");

        return $value;
    }
}
