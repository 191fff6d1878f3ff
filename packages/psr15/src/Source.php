<?php

declare(strict_types=1);

namespace Howdah\Psr15;

use InvalidArgumentException;
use Psr\Http\Message\ServerRequestInterface;

/** What a request is built of, and the request once it is: shared by all copies of an UnbuiltRequest, as PSR-7's copies share their body. */
final class Source
{
    private ?ServerRequestInterface $built = null;

    /**
     * @param array<string, string>   $server
     * @param array<array-key, mixed> $query
     * @param array<array-key, mixed> $cookies
     */
    public function __construct(
        private readonly ServerRequests $requests,
        public readonly array $server,
        public readonly array $query,
        public readonly array $cookies,
    ) {
    }

    /** @throws MalformedRequest */
    public function built(): ServerRequestInterface
    {
        try {
            return $this->built ??= $this->requests->build($this->server, $this->query, $this->cookies);
        } catch (InvalidArgumentException $fault) {
            throw new MalformedRequest($fault->getMessage(), 400, $fault);
        }
    }
}
