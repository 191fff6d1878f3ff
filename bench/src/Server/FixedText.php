<?php

declare(strict_types=1);

namespace Howdah\Bench\Server;

use Howdah\Bench\Machine\Process;
use Howdah\Cli\RuntimeFolder;

/** nginx's own `return 200`: what the HTTP part alone can do. */
final readonly class FixedText implements Content
{
    public function main(): array
    {
        return [];
    }

    public function location(): array
    {
        return ['default_type "text/plain; charset=utf-8";', 'return 200 "Hello, World!\n";'];
    }

    public function start(RuntimeFolder $folder): ?Process
    {
        return null;
    }
}
