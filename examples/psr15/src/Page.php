<?php

declare(strict_types=1);

namespace App;

use Closure;
use Psr\Http\Message\ResponseInterface;
use Psr\Http\Message\ServerRequestInterface;
use Psr\Http\Server\RequestHandlerInterface;

/** A handler that is a function. */
final readonly class Page implements RequestHandlerInterface
{
    /** @param Closure(ServerRequestInterface): ResponseInterface $answer */
    public function __construct(private Closure $answer)
    {
    }

    public function handle(ServerRequestInterface $request): ResponseInterface
    {
        return ($this->answer)($request);
    }
}
