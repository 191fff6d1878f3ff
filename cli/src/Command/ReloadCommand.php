<?php

declare(strict_types=1);

namespace Howdah\Cli\Command;

use Howdah\Cli\Control\Reload;
use Howdah\Cli\Control\ServerRecord;
use Howdah\Cli\Control\Target;
use Howdah\Cli\Failure;
use Howdah\Cli\VisibleText;
use Symfony\Component\Console\Attribute\AsCommand;
use Symfony\Component\Console\Command\Command;
use Symfony\Component\Console\Formatter\OutputFormatter;
use Symfony\Component\Console\Input\InputInterface;
use Symfony\Component\Console\Output\OutputInterface;

#[AsCommand('reload', 'Give a running server new code, without losing a request')]
final class ReloadCommand extends Command
{
    private const HELP = <<<'TEXT'
        Tells a running `howdah serve` to take new code, after a deployment. SIGHUP does the same, but this command
        waits and reports the outcome.

          <info>howdah reload</info>                    the only server that you run
          <info>howdah reload /srv/shop/current</info>  the one that serves this project
          <info>howdah reload --pid=4711</info>

        <comment>What happens</comment>
        Howdah looks at the project again: its mode, its worker script, and where symbolic links in its path lead now. It boots
        the worker script once as a trial. If all of that works, new workers start with the new code, and the old ones finish
        the requests that they have. If anything fails, the old workers go on and nothing changes.
        A reload keeps the options of `howdah serve` and PHP's settings (php.ini, --ini). To change them, stop the server and
        start it again.

        <comment>Exit status</comment>
        0 if new workers serve, 1 with the reason if nothing was reloaded.
        TEXT;

    protected function configure(): void
    {
        Target::define($this);
        $this->setHelp(self::HELP . "\n\n" . Target::HELP);
    }

    protected function execute(InputInterface $input, OutputInterface $output): int
    {
        [$folder, $record] = Target::find($input);
        Target::signal($record, Reload::SIGNAL);
        $after = $this->await("$folder/" . ServerRecord::FILE, $record);
        if ($after->failure !== null) {
            throw new Failure("not reloaded, {$after->path} is served by its old workers: {$after->failure}");
        }
        $output->writeln(OutputFormatter::escape(VisibleText::line(
            "reloaded: {$after->address} serves {$after->root} with new workers",
        )));

        return self::SUCCESS;
    }

    /** The record when a reload has ended that began after $before was read. The server itself has time limits. */
    private function await(string $file, ServerRecord $before): ServerRecord
    {
        while ($before->isAlive()) {
            $now = ServerRecord::read($file);
            if ($now !== null && $now->ended > $before->began) {
                return $now;
            }
            usleep(10_000);
        }
        throw new Failure("the server of {$before->path} (process {$before->pid}) has stopped: it was not reloaded");
    }
}
