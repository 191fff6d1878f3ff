<?php

declare(strict_types=1);

namespace Howdah\Bench\Server;

use Howdah\Bench\Machine\Process;
use Howdah\Cli\NginxString;
use Howdah\Cli\RuntimeFolder;

/** A file that nginx serves itself, with or without Howdah's module and its realms beside it. */
final readonly class StaticFile implements Content
{
    public function __construct(private string $folder, private ?string $module = null)
    {
    }

    public function main(): array
    {
        return $this->module === null ? [] : ['load_module ' . NginxString::literal($this->module) . ';'];
    }

    public function location(): array
    {
        $root = 'root ' . NginxString::literal($this->folder) . ';';
        $lines = [$root, 'types { text/plain php; }', 'try_files /hello.php =404;'];
        $script = NginxString::literal("$this->folder/hello-worker.php");

        return $this->module === null ? $lines : [...$lines, "location /realms { howdah_pass worker $script; }"];
    }

    public function start(RuntimeFolder $folder): ?Process
    {
        return null;
    }
}
