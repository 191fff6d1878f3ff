<?php

declare(strict_types=1);

namespace Howdah\Psr15;

use Psr\Http\Message\UriInterface;

/** The URI of an UnbuiltRequest: routers want its path. For all else the library's own answers. */
final readonly class UnbuiltUri implements UriInterface
{
    public function __construct(private Source $source, private string $path, private string $query)
    {
    }

    public function getPath(): string
    {
        return $this->path;
    }

    public function getQuery(): string
    {
        return $this->query;
    }

    public function __toString(): string
    {
        return (string) $this->built();
    }

    private function built(): UriInterface
    {
        return $this->source->built()->getUri();
    }

    /* ---- The library's answers ---- */

    public function getScheme(): string
    {
        return $this->built()->getScheme();
    }

    public function getAuthority(): string
    {
        return $this->built()->getAuthority();
    }

    public function getUserInfo(): string
    {
        return $this->built()->getUserInfo();
    }

    public function getHost(): string
    {
        return $this->built()->getHost();
    }

    public function getPort(): ?int
    {
        return $this->built()->getPort();
    }

    public function getFragment(): string
    {
        return $this->built()->getFragment();
    }

    public function withScheme(string $scheme): UriInterface
    {
        return $this->built()->withScheme($scheme);
    }

    public function withUserInfo(string $user, ?string $password = null): UriInterface
    {
        return $this->built()->withUserInfo($user, $password);
    }

    public function withHost(string $host): UriInterface
    {
        return $this->built()->withHost($host);
    }

    public function withPort(?int $port): UriInterface
    {
        return $this->built()->withPort($port);
    }

    public function withPath(string $path): UriInterface
    {
        return $this->built()->withPath($path);
    }

    public function withQuery(string $query): UriInterface
    {
        return $this->built()->withQuery($query);
    }

    public function withFragment(string $fragment): UriInterface
    {
        return $this->built()->withFragment($fragment);
    }
}
