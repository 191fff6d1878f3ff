<?php

declare(strict_types=1);

namespace Howdah\Cli\Command;

use Howdah\Cli\Control\Target;
use Howdah\Cli\Failure;
use Howdah\Cli\VisibleText;
use Symfony\Component\Console\Attribute\AsCommand;
use Symfony\Component\Console\Command\Command;
use Symfony\Component\Console\Formatter\OutputFormatter;
use Symfony\Component\Console\Input\InputInterface;
use Symfony\Component\Console\Output\OutputInterface;

#[AsCommand('stop', 'Stop a running server; its requests end first')]
final class StopCommand extends Command
{
    private const HELP = <<<'TEXT'
        Tells a running `howdah serve` to stop, and waits until it has stopped. Running requests may end first, for as long as
        its --stop-timeout allows.

          <info>howdah stop</info>             the only server that you run
          <info>howdah stop /srv/shop</info>   the one that serves this project
          <info>howdah stop --pid=4711</info>

        <comment>Exit status</comment>
        0 if it has stopped, 1 if there was none.
        TEXT;

    /** Seconds beyond the server's own limit: it ends nginx then, and tidies up. */
    private const MARGIN = 15;

    protected function configure(): void
    {
        Target::define($this);
        $this->setHelp(self::HELP . "\n\n" . Target::HELP);
    }

    protected function execute(InputInterface $input, OutputInterface $output): int
    {
        [, $record] = Target::find($input);
        Target::signal($record, SIGTERM);
        $deadline = hrtime(true) + ($record->patience + self::MARGIN) * 1_000_000_000;
        while ($record->isAlive()) {
            if (hrtime(true) > $deadline) {
                throw new Failure("{$record->path} (process {$record->pid}) has not stopped within its --stop-timeout of"
                    . " {$record->patience} s: end it with `kill -9 {$record->pid}`");
            }
            usleep(10_000);
        }
        $output->writeln(OutputFormatter::escape(VisibleText::line("stopped: {$record->path} (process {$record->pid})")));

        return self::SUCCESS;
    }
}
