<?php

declare(strict_types=1);

namespace Howdah\Tests\Upstream;

/** A request, and what the answer has to be: the same with HTTP/1.0, 1.1 and 2 unless it says otherwise. */
final readonly class Exchange
{
    private const ALL = ['1.0', '1.1', '2'];

    /**
     * @param list<string>           $headers  "Name: value"
     * @param ?string                $body     null: none
     * @param ?string                $expected of the answer's body: exactly this, or a pattern that begins with "~"; null: any
     * @param array<string, ?string> $fields   of the answer's head, by lower-case name: the same; null: not there
     * @param array<string, string>  $trailers all of them, by lower-case name
     * @param bool                   $whole    the answer ends as HTTP wants it, so that its client knows that it has all
     * @param list<string>           $versions of HTTP
     */
    private function __construct(
        public string $method,
        public string $uri,
        public array $headers,
        public ?string $body,
        public int $status = 200,
        public ?string $expected = null,
        public array $fields = [],
        public array $trailers = [],
        public bool $whole = true,
        public bool $chunked = false,
        public array $versions = self::ALL,
    ) {
    }

    public static function get(string $uri, string ...$headers): self
    {
        return new self('GET', $uri, array_values($headers), null);
    }

    public static function head(string $uri, string ...$headers): self
    {
        return (new self('HEAD', $uri, array_values($headers), null))->but(expected: '');
    }

    public static function post(string $uri, string $body, string ...$headers): self
    {
        return new self('POST', $uri, array_values($headers), $body);
    }

    /** @param array<string, ?string> $fields */
    public function is(int $status, ?string $expected = null, array $fields = []): self
    {
        return $this->but(status: $status, expected: $expected, fields: $fields);
    }

    /** @param array<string, string> $trailers */
    public function trailing(array $trailers): self
    {
        return $this->but(trailers: $trailers);
    }

    /** The client is not to believe that it has all. With HTTP/1.0 the end of the connection is all that it sees. */
    public function unfinished(): self
    {
        return $this->but(whole: false)->with('1.1', '2');
    }

    /** The request's body comes in chunks, without a length; with HTTP/2 that is what it always may do. */
    public function chunked(): self
    {
        return $this->but(chunked: true)->with('1.1', '2');
    }

    public function with(string ...$versions): self
    {
        return $this->but(versions: array_values($versions));
    }

    /**
     * @param ?array<string, ?string> $fields
     * @param ?array<string, string>  $trailers
     * @param ?list<string>           $versions
     */
    private function but(
        ?int $status = null,
        ?string $expected = null,
        ?array $fields = null,
        ?array $trailers = null,
        ?bool $whole = null,
        ?bool $chunked = null,
        ?array $versions = null,
    ): self {
        return new self(
            $this->method,
            $this->uri,
            $this->headers,
            $this->body,
            $status ?? $this->status,
            $expected ?? $this->expected,
            $fields ?? $this->fields,
            $trailers ?? $this->trailers,
            $whole ?? $this->whole,
            $chunked ?? $this->chunked,
            $versions ?? $this->versions,
        );
    }
}
