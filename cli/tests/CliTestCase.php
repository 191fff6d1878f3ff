<?php

declare(strict_types=1);

namespace Howdah\Cli\Tests;

use Howdah\Cli\Failure;
use Howdah\Cli\ServeOptions;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Console\Command\Command;
use Symfony\Component\Console\Input\StringInput;

abstract class CliTestCase extends TestCase
{
    /** @var list<ProjectFolder> */
    private array $folders = [];

    protected function tearDown(): void
    {
        foreach ($this->folders as $folder) {
            $folder->remove();
        }
    }

    /** @param array<string, string> $files */
    protected function project(array $files, string $name = 'project'): string
    {
        return ($this->folders[] = new ProjectFolder($files, $name))->path;
    }

    /** Options as serve would understand them; a path with spaces goes in by itself. */
    protected function options(string $commandLine, ?string $path = null): ServeOptions
    {
        $command = new Command('serve');
        ServeOptions::define($command);
        $input = new StringInput($commandLine);
        $input->bind($command->getDefinition());
        if ($path !== null) {
            $input->setArgument('path', $path);
        }

        return ServeOptions::fromInput($input);
    }

    /** The message of the failure that must come. */
    protected function failure(callable $action): string
    {
        try {
            $action();
        } catch (Failure $failure) {
            self::assertStringNotContainsString("\n", $failure->getMessage(), 'a message is one line');

            return $failure->getMessage();
        }
        self::fail('nothing failed');
    }
}
