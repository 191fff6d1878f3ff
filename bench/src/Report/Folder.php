<?php

declare(strict_types=1);

namespace Howdah\Bench\Report;

use Howdah\Cli\Failure;

/** Where reports are written. The one that was there before is kept, to be compared with: an hour's run and then a minute's, say. */
final readonly class Folder
{
    public function __construct(private string $path)
    {
    }

    /** @param array<string, string> $texts by name */
    public function write(array $texts): void
    {
        if (!is_dir($this->path) && !@mkdir($this->path, 0777, true)) {
            throw new Failure("cannot make $this->path: choose another folder with --output");
        }
        foreach ($texts as $name => $text) {
            $file = "$this->path/$name";
            if (is_file($file) && !@rename($file, "$this->path/before.$name")) {
                throw new Failure("cannot rename $file, which is of an earlier run: choose another folder with --output");
            }
            if (@file_put_contents($file, $text) !== strlen($text)) {
                throw new Failure("cannot write $file: choose another folder with --output");
            }
        }
    }
}
