<?php

declare(strict_types=1);

namespace Howdah\Psr15;

use InvalidArgumentException;
use Psr\Http\Message\ServerRequestFactoryInterface;
use Psr\Http\Message\ServerRequestInterface;
use Psr\Http\Message\StreamFactoryInterface;
use Psr\Http\Message\UploadedFileFactoryInterface;

/**
 * Builds PSR-7 requests with the PSR-17 factories of any library.
 *
 * A plain request is handed over unbuilt: see UnbuiltRequest. One that is odd is built at once, so that a malformed one is
 * refused before the handler sees it.
 */
final class ServerRequests
{
    private const FORMS = ['application/x-www-form-urlencoded', 'multipart/form-data'];

    /**
     * Host and target that each library takes as they are: pchar and "/" (RFC 3986, 3.3), in a path without "%", of which some
     * decode what need not be encoded, and a port that parse_url() does not refuse.
     */
    private const PLAIN = "~^[a-z0-9.-]+(?::[1-5]?[0-9]{1,4})? (/(?!/)[-a-zA-Z0-9._\~!$&'()*+,;=:@/]*+)"
        . "(?:\?((?:[-a-zA-Z0-9._\~!$&'()*+,;=:@/]++|%[0-9a-fA-F]{2})*+))?$~D";

    private readonly bool $onHowdah;
    private readonly OpenedStreams $streams;
    private ?Source $current = null;

    /** @param bool $atOnce builds all requests at once: for a handler that looks whether they are of its library's own class */
    public function __construct(
        private readonly ServerRequestFactoryInterface $requests,
        StreamFactoryInterface $streams,
        private readonly UploadedFileFactoryInterface $files,
        private readonly bool $atOnce = false,
    ) {
        $this->streams = new OpenedStreams($streams);
        $this->onHowdah = function_exists('Howdah\request_variables');
    }

    /**
     * The request that PHP is serving.
     *
     * @throws MalformedRequest
     */
    public function current(): ServerRequestInterface
    {
        [$method, $host, $target] = $this->onHowdah
            ? \Howdah\request_variables('REQUEST_METHOD', 'HTTP_HOST', 'REQUEST_URI')
            : self::known();
        $this->current = $source = new Source($this, $method ?? 'GET', $_GET, $_COOKIE);
        if ($this->atOnce || preg_match(self::PLAIN, "$host $target", $parts) !== 1) {
            return $source->built();
        }

        return new UnbuiltRequest($source, $parts[1], $parts[2] ?? '');
    }

    /** The request that was current has been answered; its body and its uploaded files are closed. */
    public function end(): void
    {
        $this->current?->end();
        $this->current = null;
        $this->streams->close();
    }

    /** @return array{?string, ?string, ?string} */
    private static function known(): array
    {
        $server = Superglobals::server();

        return [$server['REQUEST_METHOD'] ?? null, $server['HTTP_HOST'] ?? null, $server['REQUEST_URI'] ?? null];
    }

    /**
     * Only what the request has is set, as each with...() makes a copy.
     *
     * @param array<string, string>   $server
     * @param array<array-key, mixed> $query
     * @param array<array-key, mixed> $cookies
     *
     * @throws InvalidArgumentException when the library says that its URI or one of its headers is malformed
     */
    public function build(array $server, array $query, array $cookies): ServerRequestInterface
    {
        $request = $this->requests->createServerRequest($server['REQUEST_METHOD'] ?? 'GET', self::uri($server), $server);
        /** @var string $value */
        foreach (getallheaders() as $name => $value) {
            $request = $request->withHeader((string) $name, $value);
        }
        $version = substr($server['SERVER_PROTOCOL'] ?? 'HTTP/1.1', strlen('HTTP/'));
        if ($version !== '1.1') {
            $request = $request->withProtocolVersion($version);
        }
        if ($query !== []) {
            $request = $request->withQueryParams($query);
        }
        if ($cookies !== []) {
            $request = $request->withCookieParams($cookies);
        }

        return self::hasBody($server) ? $this->withBody($request, $server) : $request;
    }

    /** @param array<string, string> $server */
    private static function uri(array $server): string
    {
        $target = $server['REQUEST_URI'] ?? '/';
        // The absolute form is allowed for everybody (RFC 9112, 3.2.2), "*" for OPTIONS.
        if (preg_match('~^https?://~i', $target) === 1) {
            return $target;
        }
        $scheme = in_array(strtolower($server['HTTPS'] ?? ''), ['', 'off'], true) ? 'http' : 'https';
        $host = $server['HTTP_HOST'] ?? '';
        if ($host === '') {
            $name = $server['SERVER_NAME'] ?? '';
            $host = ($name === '' || $name === '_' ? 'localhost' : $name) . ':' . ($server['SERVER_PORT'] ?? '80');
        }

        return "$scheme://$host" . (str_starts_with($target, '/') ? $target : '/');
    }

    /** @param array<string, string> $server */
    private static function hasBody(array $server): bool
    {
        return !in_array($server['CONTENT_LENGTH'] ?? '', ['', '0'], true) || isset($server['HTTP_TRANSFER_ENCODING'])
            || !in_array($server['REQUEST_METHOD'] ?? 'GET', ['GET', 'HEAD', 'OPTIONS', 'TRACE'], true);
    }

    /** @param array<string, string> $server */
    private function withBody(ServerRequestInterface $request, array $server): ServerRequestInterface
    {
        $request = $request->withBody($this->streams->createStreamFromFile('php://input', 'r'));
        $type = strtolower(trim(explode(';', $server['CONTENT_TYPE'] ?? '', 2)[0]));
        if ($request->getMethod() === 'POST' && in_array($type, self::FORMS, true)) {
            $request = $request->withParsedBody($_POST);
        }

        $uploads = new Uploads($this->streams, $this->files);

        return $_FILES === [] ? $request : $request->withUploadedFiles($uploads->of($_FILES));
    }
}
