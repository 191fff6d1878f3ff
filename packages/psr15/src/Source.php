<?php

declare(strict_types=1);

namespace Howdah\Psr15;

use InvalidArgumentException;
use LogicException;
use Psr\Http\Message\ServerRequestInterface;

/** What a request is built of, and the request once it is: shared by all copies of an UnbuiltRequest, as PSR-7's copies share their body. */
final class Source
{
    private ?ServerRequestInterface $built = null;

    /** @var array<string, string>|null */
    private ?array $server = null;

    private bool $over = false;

    /**
     * @param array<array-key, mixed> $query
     * @param array<array-key, mixed> $cookies
     */
    public function __construct(
        private readonly ServerRequests $requests,
        public readonly string $method,
        public readonly array $query,
        public readonly array $cookies,
    ) {
    }

    /** What PHP knows is another request's from now on. */
    public function end(): void
    {
        $this->over = true;
    }

    /** @return array<string, string> */
    public function server(): array
    {
        return $this->server ??= $this->current();
    }

    /** @return array<string, string> */
    private function current(): array
    {
        if ($this->over) {
            throw new LogicException('this request has ended: what it was asked for late is known no more');
        }

        return Superglobals::server();
    }

    /** @throws MalformedRequest */
    public function built(): ServerRequestInterface
    {
        if ($this->built === null) {
            $this->current();
        }
        try {
            return $this->built ??= $this->requests->build($this->server(), $this->query, $this->cookies);
        } catch (InvalidArgumentException $fault) {
            throw new MalformedRequest($fault->getMessage(), 400, $fault);
        }
    }
}
