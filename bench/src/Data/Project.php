<?php

declare(strict_types=1);

namespace Howdah\Bench\Data;

use Howdah\Bench\Server\Application;
use Howdah\Cli\Failure;
use Howdah\Cli\Program;
use Howdah\Cli\RuntimeFolder;

/** A copy of an example, set up with an environment of its own: its caches would otherwise be those of all suites. */
final class Project
{
    private readonly RuntimeFolder $folder;

    /** @param array<string, string> $environment of bin/setup, which writes it into the caches */
    public function __construct(string $example, array $environment)
    {
        $this->folder = new RuntimeFolder();
        $root = "{$this->folder->path}/project";
        $assign = static fn (string $name, string $value): string => "$name=$value";
        $settings = array_map($assign, array_keys($environment), $environment);
        foreach ([['cp', '-a', $example, $root], ['env', ...$settings, "$root/bin/setup"]] as $command) {
            $done = Program::run([(string) Program::find($command[0]), ...array_slice($command, 1)]);
            if ($done->status !== 0) {
                throw new Failure("$root/bin/setup ended with exit status $done->status: $done->output $done->errors");
            }
        }
    }

    public function application(): Application
    {
        $public = "{$this->folder->path}/project/public";

        return new Application($public, "$public/index.php", "$public/frankenphp-worker.php");
    }

    public function remove(): void
    {
        $this->folder->remove();
    }
}
