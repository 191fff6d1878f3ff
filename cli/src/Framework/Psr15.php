<?php

declare(strict_types=1);

namespace Howdah\Cli\Framework;

/** Slim and Mezzio: how an application is put together is in its own index.php, so the worker script is its own too. */
final readonly class Psr15 implements Framework
{
    public function __construct(private string $name, private string $package)
    {
    }

    public function name(): string
    {
        return $this->name;
    }

    public function isUsed(ProjectFiles $files): bool
    {
        return $files->requires($this->package);
    }

    public function offer(ProjectFiles $files, string $front, ?int $maxRequests): Offer
    {
        return Offer::none("{$this->name} without a worker script: docs/start/slim.md has one");
    }
}
