<?php

declare(strict_types=1);

namespace Howdah\Cli\Command;

use Howdah\Cli\Failure;
use Howdah\Cli\Framework\Detected;
use Howdah\Cli\Framework\ProjectFiles;
use Howdah\Cli\Init\Deployment;
use Howdah\Cli\Init\ProjectOwner;
use Howdah\Cli\Installation;
use Howdah\Cli\Layout;
use Howdah\Cli\PrintedConfig;
use Howdah\Cli\Program;
use Howdah\Cli\ProjectFinder;
use Howdah\Cli\ProjectText;
use Howdah\Cli\ServeOptions;
use Symfony\Component\Console\Attribute\AsCommand;
use Symfony\Component\Console\Command\Command;
use Symfony\Component\Console\Input\InputInterface;
use Symfony\Component\Console\Output\OutputInterface;
use Symfony\Component\Console\Style\SymfonyStyle;

#[AsCommand('init', 'Write files to deploy a project with: nginx, systemd, Docker')]
final class InitCommand extends Command
{
    private const HELP = <<<'TEXT'
        Writes these files into the project, with comments that explain them:

          deploy/nginx.conf       a configuration for your own nginx
          deploy/howdah.service   a unit of systemd that runs `howdah serve`
          Dockerfile, .dockerignore, compose.yaml

        `howdah serve` needs none of them. A file that exists already is replaced only if you agree.

          <info>howdah init</info>                       for the project in this folder
          <info>howdah init --no-interaction</info>      asks nothing: files that exist stay as they are

        Where to listen, the mode, the document root and the worker script are written into the files as they are given.
        TEXT;

    /** Where nobody knows better: the oldest that has the packages. */
    private const RELEASE = 'bookworm';

    public function __construct(private readonly Installation $installation)
    {
        parent::__construct();
    }

    protected function configure(): void
    {
        ServeOptions::define($this);
        $this->setHelp(self::HELP);
    }

    protected function execute(InputInterface $input, OutputInterface $output): int
    {
        $options = ServeOptions::fromInput($input);
        $project = (new ProjectFinder())->find($options);
        if ($options->tls->isLocal()) {
            throw new Failure('--tls is for this machine alone: give --tls-certificate and --tls-key, which are written into'
                . ' the files, or leave it out');
        }
        $config = PrintedConfig::of($this->installation, $project, $options);
        $names = (new Detected(new ProjectFiles($project->root)))->names() ?: Layout::applicationsIn($project->docroot);
        $deployment = new Deployment(
            $project,
            count($names) === 1 ? $names[0] : null,
            $options,
            $config->text,
            Program::find('howdah') ?? (string) realpath(get_included_files()[0]),
            $this->release(),
        );
        $style = new SymfonyStyle($input, $output);
        $owner = new ProjectOwner($project->root);
        foreach ($deployment->files() as $path => $text) {
            $style->writeln($this->write("$project->root/$path", $text, $style, $owner) . " $path");
        }

        return self::SUCCESS;
    }

    /** Of this machine: the packages for the image are built on it. */
    private function release(): string
    {
        $isFound = preg_match('/^VERSION_CODENAME=(\w+)$/m', (string) @file_get_contents('/etc/os-release'), $match) === 1;

        return $isFound ? $match[1] : self::RELEASE;
    }

    /** @return string what became of it */
    private function write(string $file, string $text, SymfonyStyle $style, ProjectOwner $owner): string
    {
        $isThere = $owner->do(static fn (): bool => file_exists($file) || is_link($file));
        if ($isThere && ProjectText::in($owner->do(ProjectText::opening($file))) === $text) {
            return 'as it was:';
        }
        if ($isThere && !$style->confirm("$file is there already. Replace it?", false)) {
            return 'kept:     ';
        }
        $folder = dirname($file);
        $isWritten = $owner->do(static fn (): bool => (is_dir($folder) || @mkdir($folder, 0777, true))
            && @file_put_contents($file, $text) === strlen($text));
        if (!$isWritten) {
            throw new Failure("cannot write $file: make its folder writable for this user, or free some space there");
        }

        return $isThere ? 'replaced: ' : 'written:  ';
    }
}
