<?php

declare(strict_types=1);

namespace Howdah\Cli\Command;

use Howdah\Cli\Failure;
use Howdah\Cli\Installation;
use Howdah\Cli\Nginx;
use Howdah\Cli\PhpRuntime;
use Symfony\Component\Console\Attribute\AsCommand;
use Symfony\Component\Console\Command\Command;
use Symfony\Component\Console\Formatter\OutputFormatter;
use Symfony\Component\Console\Input\InputInterface;
use Symfony\Component\Console\Output\OutputInterface;

#[AsCommand('version', 'Print the versions of Howdah, nginx, PHP and opcache, and the modes available')]
final class VersionCommand extends Command
{
    private const HELP = <<<'TEXT'
        PHP here is the library that serves requests (libphp), asked by starting the engine once; its php.ini is that of the
        embed SAPI. The exit status is 1 if something is missing that serving needs.
        TEXT;

    public function __construct(private readonly Installation $installation)
    {
        parent::__construct();
    }

    protected function configure(): void
    {
        $this->setHelp(self::HELP);
    }

    protected function execute(InputInterface $input, OutputInterface $output): int
    {
        $complete = true;
        $lines = ['Howdah' => Installation::VERSION];
        try {
            $nginx = Nginx::find();
            $lines['nginx'] = "{$nginx->version} ({$nginx->path})";
            $module = $this->installation->module();
            $nginx->assertLoads($module, $this->installation->remedy());
            $lines['module'] = $module;
        } catch (Failure $failure) {
            $lines[isset($nginx) ? 'module' : 'nginx'] = $failure->getMessage();
            $complete = false;
        }
        try {
            $php = PhpRuntime::probe($this->installation);
            $lines['PHP'] = "{$php->version} (libphp; " . ($php->ini ?? 'no php.ini') . ')';
            $lines['opcache'] = $php->opcache ?? 'missing';
            $lines['modes'] = 'classic' . ($php->hasWorkerMode ? ', worker' : '');
            $php->assertServes();
        } catch (Failure $failure) {
            $lines[isset($php) ? 'opcache' : 'PHP'] = $failure->getMessage();
            $complete = false;
        }
        foreach ($lines as $name => $line) {
            $output->writeln(sprintf('<info>%-8s</info> %s', $name, OutputFormatter::escape($line)));
        }

        return $complete ? self::SUCCESS : self::FAILURE;
    }
}
