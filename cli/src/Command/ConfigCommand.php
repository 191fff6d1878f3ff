<?php

declare(strict_types=1);

namespace Howdah\Cli\Command;

use Howdah\Cli\Installation;
use Howdah\Cli\PrintedConfig;
use Howdah\Cli\ProjectFinder;
use Howdah\Cli\ServeOptions;
use Symfony\Component\Console\Attribute\AsCommand;
use Symfony\Component\Console\Command\Command;
use Symfony\Component\Console\Formatter\OutputFormatter;
use Symfony\Component\Console\Input\InputInterface;
use Symfony\Component\Console\Output\ConsoleOutputInterface;
use Symfony\Component\Console\Output\OutputInterface;

#[AsCommand('config', 'Print the nginx configuration that serve would use')]
final class ConfigCommand extends Command
{
    private const HELP = <<<'TEXT'
        Takes what <info>howdah serve</info> takes and prints the configuration instead of serving: to learn from, or to start
        a configuration of one's own with.

          <info>howdah config /srv/shop --workers=4</info>

        To try it by hand, from an empty folder:
          <info>howdah config /srv/shop > nginx.conf && nginx -p "$PWD" -e stderr -c nginx.conf</info>
        TEXT;

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
        $options = ServeOptions::fromInput($input, null, false, $output->isDecorated());
        $project = (new ProjectFinder())->find($options);
        $config = PrintedConfig::of($this->installation, $project, $options);
        $notes = $output instanceof ConsoleOutputInterface ? $output->getErrorOutput() : $output;
        foreach ([$options->rootWarning(), ...($config->tls->warnings ?? []), ...($config->tls->notes ?? [])] as $line) {
            if ($line !== null) {
                $notes->writeln('<comment>howdah: ' . OutputFormatter::escape($line) . '</comment>');
            }
        }
        $output->write($config->text, false, OutputInterface::OUTPUT_RAW);

        return self::SUCCESS;
    }
}
