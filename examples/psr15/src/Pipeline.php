<?php

declare(strict_types=1);

namespace App;

use Psr\Http\Message\ResponseInterface;
use Psr\Http\Message\ServerRequestInterface;
use Psr\Http\Server\MiddlewareInterface;
use Psr\Http\Server\RequestHandlerInterface;

/** Middleware, one inside the other, around a handler. Made once; how far a request has come is in what it is handed. */
final readonly class Pipeline implements RequestHandlerInterface
{
    public function __construct(private MiddlewareInterface $first, private RequestHandlerInterface $then)
    {
    }

    public static function of(RequestHandlerInterface $handler, MiddlewareInterface ...$middleware): RequestHandlerInterface
    {
        foreach (array_reverse($middleware) as $one) {
            $handler = new self($one, $handler);
        }

        return $handler;
    }

    public function handle(ServerRequestInterface $request): ResponseInterface
    {
        return $this->first->process($request, $this->then);
    }
}
