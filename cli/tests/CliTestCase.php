<?php

declare(strict_types=1);

namespace Howdah\Cli\Tests;

use Howdah\Cli\Failure;
use Howdah\Cli\Installation;
use Howdah\Cli\PhpRuntime;
use Howdah\Cli\ServeOptions;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Console\Command\Command;
use Symfony\Component\Console\Input\StringInput;

abstract class CliTestCase extends TestCase
{
    private const GOOD_PROBE = ['version' => PHP_VERSION, 'ini' => null, 'opcache' => PHP_VERSION, 'opcache_enabled' => true,
        'worker' => true, 'extensions' => ['Core' => PHP_VERSION], 'settings' => []];

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

    /**
     * The root of an installation whose programs are the given scripts.
     *
     * @param array<string, string> $programs contents by name, for build/
     */
    protected function installation(array $programs): string
    {
        $files = ['bin/howdah' => (string) file_get_contents(__DIR__ . '/../../bin/howdah')];
        foreach ($programs as $name => $contents) {
            $files["build/$name"] = $contents;
        }
        $root = $this->project($files);
        foreach (array_keys($programs) as $name) {
            chmod("$root/build/$name", 0755);
        }
        symlink(dirname(__DIR__), "$root/cli");

        return $root;
    }

    /**
     * A script that answers as libphp would.
     *
     * @param array<string, mixed> $difference from a good answer
     */
    protected function probe(array $difference): string
    {
        return "#!/bin/sh\ncat <<'JSON'\n" . json_encode([...self::GOOD_PROBE, ...$difference]) . "\nJSON\n";
    }

    /** @param array<string, mixed> $difference */
    protected function php(array $difference): PhpRuntime
    {
        $root = $this->installation(['howdah-run' => $this->probe($difference)]);

        return PhpRuntime::probe(new Installation("$root/build", "$root/cli", 'rebuild it'));
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
