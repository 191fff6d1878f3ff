<?php

declare(strict_types=1);

namespace Howdah\Bench\Server;

/** What is served: the same code, entered by one script or the other. */
final readonly class Application
{
    /**
     * @param string $root   document root
     * @param string $front  answers one request: classic mode, php-fpm
     * @param string $worker boots once and then asks for requests: worker mode
     */
    public function __construct(public string $root, public string $front, public string $worker)
    {
    }

    /** The name that front has in URLs. */
    public function scriptName(): string
    {
        return '/' . basename($this->front);
    }
}
