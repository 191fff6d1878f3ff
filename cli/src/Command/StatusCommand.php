<?php

declare(strict_types=1);

namespace Howdah\Cli\Command;

use Howdah\Cli\Control\Leftovers;
use Howdah\Cli\Control\RunningServers;
use Howdah\Cli\Control\ServerRecord;
use Howdah\Cli\Control\Target;
use Howdah\Cli\VisibleText;
use Symfony\Component\Console\Attribute\AsCommand;
use Symfony\Component\Console\Command\Command;
use Symfony\Component\Console\Input\InputInterface;
use Symfony\Component\Console\Input\InputOption;
use Symfony\Component\Console\Output\OutputInterface;

#[AsCommand('status', 'Tell which servers run, where, and since when')]
final class StatusCommand extends Command
{
    private const HELP = <<<'TEXT'
        Lists the servers that `howdah serve` runs on this machine: yours, or all of them for root.

          <info>howdah status</info>
          <info>howdah status /srv/shop --json</info>

        <comment>--json</comment>
        A list of {"pid", "path", "root", "address", "mode", "workers", "at_once", "since", "reloads", "reloading", "failure"}.
        `path` is the project as it was named, and `root` is the folder to which that led at the last reload. `at_once` is the
        number of requests in each worker, `since` a time in RFC 3339, `reloads` how many have ended, `reloading` whether one
        is under way. `failure` says why the last reload failed, or is null.

        <comment>Exit status</comment>
        0 if a server runs, 1 if none does.
        TEXT;

    protected function configure(): void
    {
        Target::define($this);
        $this->addOption('json', null, InputOption::VALUE_NONE, 'For programs');
        $this->setHelp(self::HELP);
    }

    protected function execute(InputInterface $input, OutputInterface $output): int
    {
        Leftovers::remove(sys_get_temp_dir());
        $isNamed = $input->getArgument('path') !== null || $input->getOption('pid') !== null;
        $records = array_values($isNamed ? [Target::find($input)[1]] : RunningServers::all());
        if ($input->getOption('json') === true) {
            $text = json_encode(array_map($this->fields(...), $records), JSON_UNESCAPED_SLASHES | JSON_PRETTY_PRINT);
            $output->writeln((string) $text, OutputInterface::OUTPUT_RAW);
        } else {
            $output->writeln(array_map($this->line(...), $records), OutputInterface::OUTPUT_RAW);
        }
        if ($records === [] && $input->getOption('json') !== true) {
            $output->writeln(RunningServers::none(), OutputInterface::OUTPUT_RAW);
        }

        return $records === [] ? self::FAILURE : self::SUCCESS;
    }

    /** @return array<string, bool|int|string|null> */
    private function fields(ServerRecord $record): array
    {
        return [
            'pid' => $record->pid,
            'path' => $record->path,
            'root' => $record->root,
            'address' => $record->address,
            'mode' => $record->mode,
            'workers' => $record->workers,
            'at_once' => $record->atOnce,
            'since' => date(DATE_RFC3339, $record->since),
            'reloads' => $record->ended,
            'reloading' => $record->began > $record->ended,
            'failure' => $record->failure,
        ];
    }

    private function line(ServerRecord $record): string
    {
        $where = $record->path === $record->root ? $record->path : "{$record->path} ({$record->root})";
        $failure = $record->failure === null ? '' : "\n        the last reload failed: " . strtok($record->failure, "\n");

        $reloading = $record->began > $record->ended ? ', a reload is under way' : '';

        return VisibleText::lines("{$record->pid}  {$record->address}  $where  {$record->mode} mode, {$record->workers} x"
            . " {$record->atOnce} requests at once, since " . date('Y-m-d H:i:s', $record->since) . $reloading . $failure);
    }
}
