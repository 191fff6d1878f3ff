<?php

declare(strict_types=1);

namespace App;

use Psr\Http\Message\ResponseInterface;
use Psr\Http\Message\ServerRequestInterface;
use Psr\Http\Server\MiddlewareInterface;
use Psr\Http\Server\RequestHandlerInterface;

/** Finds the page by its path, and tells it what the path says. */
final readonly class Routing implements MiddlewareInterface
{
    private string $pattern;

    /** @param array<string, RequestHandlerInterface> $pages by path; "{name}" stands for a part of it */
    public function __construct(private array $pages)
    {
        $parts = [];
        foreach (array_keys($pages) as $path) {
            $parts[] = preg_replace('~\\\\\{(\w+)\\\\\}~', '(?<$1>[^/]+)', preg_quote($path, '~')) . "(*MARK:$path)";
        }
        $this->pattern = '~^(?:' . implode('|', $parts) . ')$~DJ';
    }

    public function process(ServerRequestInterface $request, RequestHandlerInterface $handler): ResponseInterface
    {
        if (preg_match($this->pattern, $request->getUri()->getPath(), $found) !== 1) {
            return $handler->handle($request);
        }
        foreach ($found as $name => $value) {
            if (is_string($name) && $name !== 'MARK') {
                $request = $request->withAttribute($name, $value);
            }
        }

        return $this->pages[$found['MARK']]->handle($request);
    }
}
