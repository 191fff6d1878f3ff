<?php

declare(strict_types=1);

namespace Howdah\Cli\Audit;

/** A request that clients send: a path with its query on the audited server, not a whole URL. */
final readonly class Request
{
    /** @param list<string> $headers "Name: value" */
    public function __construct(
        public string $method,
        public string $path,
        public array $headers = [],
        public ?string $body = null,
    ) {
    }

    public function __toString(): string
    {
        return "$this->method $this->path";
    }
}
