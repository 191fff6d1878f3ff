<?php

declare(strict_types=1);

namespace Howdah\Bench\Server;

use Howdah\Bench\Machine\Process;
use Howdah\Cli\RuntimeFolder;

/** What nginx answers with: itself, Howdah's module, php-fpm. All else in nginx's configuration is the same for all. */
interface Content
{
    /** @return list<string> directives above all blocks */
    public function main(): array;

    /** @return list<string> directives of the one location */
    public function location(): array;

    /** Starts what runs beside nginx, if anything does. */
    public function start(RuntimeFolder $folder): ?Process;
}
