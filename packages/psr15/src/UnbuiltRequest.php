<?php

declare(strict_types=1);

namespace Howdah\Psr15;

use Psr\Http\Message\MessageInterface;
use Psr\Http\Message\RequestInterface;
use Psr\Http\Message\ServerRequestInterface;
use Psr\Http\Message\StreamInterface;
use Psr\Http\Message\UriInterface;

/**
 * A request that is built when somebody asks for more than method, path, query, cookies and attributes: most handlers do not.
 *
 * Then the library's own request answers; what with...() returns, but for attributes, is that one from then on.
 */
final class UnbuiltRequest implements ServerRequestInterface
{
    private ?UnbuiltUri $uri = null;

    /** @var array<string, mixed> */
    private array $attributes = [];

    /**
     * @param string $path  as sent, and so that no library would write it differently
     * @param string $query likewise, without "?"
     */
    public function __construct(
        private readonly Source $source,
        private readonly string $path,
        private readonly string $query,
    ) {
    }

    public function getMethod(): string
    {
        return $this->source->method;
    }

    public function getUri(): UriInterface
    {
        return $this->uri ??= new UnbuiltUri($this->source, $this->path, $this->query);
    }

    /** @return array<string, string> */
    public function getServerParams(): array
    {
        return $this->source->server();
    }

    /** @return array<array-key, mixed> */
    public function getCookieParams(): array
    {
        return $this->source->cookies;
    }

    /** @return array<array-key, mixed> */
    public function getQueryParams(): array
    {
        return $this->source->query;
    }

    /** @return array<string, mixed> */
    public function getAttributes(): array
    {
        return $this->attributes;
    }

    public function getAttribute(string $name, $default = null): mixed
    {
        return array_key_exists($name, $this->attributes) ? $this->attributes[$name] : $default;
    }

    public function withAttribute(string $name, $value): ServerRequestInterface
    {
        $copy = clone $this;
        $copy->attributes[$name] = $value;

        return $copy;
    }

    public function withoutAttribute(string $name): ServerRequestInterface
    {
        $copy = clone $this;
        unset($copy->attributes[$name]);

        return $copy;
    }

    /** With the attributes, for what is to be a request of its own. */
    private function whole(): ServerRequestInterface
    {
        $request = $this->source->built();
        foreach ($this->attributes as $name => $value) {
            $request = $request->withAttribute((string) $name, $value);
        }

        return $request;
    }

    /* ---- The library's answers ---- */

    public function getProtocolVersion(): string
    {
        return $this->source->built()->getProtocolVersion();
    }

    /** @return array<string, list<string>> */
    public function getHeaders(): array
    {
        return $this->source->built()->getHeaders();
    }

    public function hasHeader(string $name): bool
    {
        return $this->source->built()->hasHeader($name);
    }

    /** @return list<string> */
    public function getHeader(string $name): array
    {
        return $this->source->built()->getHeader($name);
    }

    public function getHeaderLine(string $name): string
    {
        return $this->source->built()->getHeaderLine($name);
    }

    public function getBody(): StreamInterface
    {
        return $this->source->built()->getBody();
    }

    public function getRequestTarget(): string
    {
        return $this->source->built()->getRequestTarget();
    }

    /** @return array<array-key, mixed> */
    public function getUploadedFiles(): array
    {
        return $this->source->built()->getUploadedFiles();
    }

    /** @return array<array-key, mixed>|object|null */
    public function getParsedBody(): null|array|object
    {
        return $this->source->built()->getParsedBody();
    }

    public function withProtocolVersion(string $version): MessageInterface
    {
        return $this->whole()->withProtocolVersion($version);
    }

    /** @param string|list<string> $value */
    public function withHeader(string $name, $value): MessageInterface
    {
        return $this->whole()->withHeader($name, $value);
    }

    /** @param string|list<string> $value */
    public function withAddedHeader(string $name, $value): MessageInterface
    {
        return $this->whole()->withAddedHeader($name, $value);
    }

    public function withoutHeader(string $name): MessageInterface
    {
        return $this->whole()->withoutHeader($name);
    }

    public function withBody(StreamInterface $body): MessageInterface
    {
        return $this->whole()->withBody($body);
    }

    public function withRequestTarget(string $requestTarget): RequestInterface
    {
        return $this->whole()->withRequestTarget($requestTarget);
    }

    public function withMethod(string $method): RequestInterface
    {
        return $this->whole()->withMethod($method);
    }

    public function withUri(UriInterface $uri, bool $preserveHost = false): RequestInterface
    {
        return $this->whole()->withUri($uri, $preserveHost);
    }

    /** @param array<array-key, mixed> $cookies */
    public function withCookieParams(array $cookies): ServerRequestInterface
    {
        return $this->whole()->withCookieParams($cookies);
    }

    /** @param array<array-key, mixed> $query */
    public function withQueryParams(array $query): ServerRequestInterface
    {
        return $this->whole()->withQueryParams($query);
    }

    /** @param array<array-key, mixed> $uploadedFiles */
    public function withUploadedFiles(array $uploadedFiles): ServerRequestInterface
    {
        return $this->whole()->withUploadedFiles($uploadedFiles);
    }

    /** @param array<array-key, mixed>|object|null $data */
    public function withParsedBody($data): ServerRequestInterface
    {
        return $this->whole()->withParsedBody($data);
    }
}
