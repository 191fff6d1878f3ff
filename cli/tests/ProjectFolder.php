<?php

declare(strict_types=1);

namespace Howdah\Cli\Tests;

/** A project made for one test: files by name, below a new temporary folder. */
final readonly class ProjectFolder
{
    public string $path;

    /** @param array<string, string> $files contents by path relative to the folder */
    public function __construct(array $files, string $name = 'project')
    {
        $this->path = sys_get_temp_dir() . '/howdah-test-' . bin2hex(random_bytes(6)) . '/' . $name;
        mkdir($this->path, 0755, true);
        foreach ($files as $file => $contents) {
            if (!is_dir(dirname("{$this->path}/$file"))) {
                mkdir(dirname("{$this->path}/$file"), 0755, true);
            }
            file_put_contents("{$this->path}/$file", $contents);
        }
    }

    public function remove(): void
    {
        exec('rm -rf ' . escapeshellarg(dirname($this->path)));
    }
}
