<?php

declare(strict_types=1);

namespace Howdah\Cli\Command;

use Howdah\Cli\Control\ControlSocket;
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
        A list of {"pid", "path", "root", "address", "mode", "workers", "at_once", "since", "reloads", "reloading", "failure",
        "state"}.
        `path` is the project as it was named, and `root` is the folder to which that led at the last reload. `at_once` is the
        number of requests in each worker, `since` a time in RFC 3339, `reloads` how many have ended, `reloading` whether one
        is under way. `failure` says why the last reload failed, or is null. `state` is what one of its workers says of the
        application: "ready", "booting", or "failing" where it does not boot; null where none has answered within a second.

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
        $records = $isNamed ? $this->named($input) : RunningServers::all();
        $ask = static fn (string $each): ?string => (new ControlSocket($each))->ask()[0] ?? null;
        $states = array_map($ask, array_keys($records));
        if ($input->getOption('json') === true) {
            $list = array_map($this->fields(...), array_values($records), $states);
            $text = json_encode($list, JSON_UNESCAPED_SLASHES | JSON_PRETTY_PRINT);
            $output->writeln((string) $text, OutputInterface::OUTPUT_RAW);
        } else {
            $output->writeln(array_map($this->line(...), array_values($records), $states), OutputInterface::OUTPUT_RAW);
        }
        if ($records === [] && $input->getOption('json') !== true) {
            $output->writeln(RunningServers::none(), OutputInterface::OUTPUT_RAW);
        }

        return $records === [] ? self::FAILURE : self::SUCCESS;
    }

    /** @return array<string, ServerRecord> by its folder */
    private function named(InputInterface $input): array
    {
        [$folder, $record] = Target::find($input);

        return [$folder => $record];
    }

    /** @return array<string, bool|int|string|null> */
    private function fields(ServerRecord $record, ?string $state): array
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
            'state' => $state,
        ];
    }

    private function line(ServerRecord $record, ?string $state): string
    {
        $where = $record->path === $record->root ? $record->path : "{$record->path} ({$record->root})";
        $failure = $record->failure === null ? '' : "\n        the last reload failed: " . strtok($record->failure, "\n");

        $reloading = $record->began > $record->ended ? ', a reload is under way' : '';
        $trouble = match ($state) {
            'ready' => '',
            'booting' => 'the application boots',
            'failing' => 'the application does not boot: its requests are answered with an error, and the error log tells why',
            default => 'no worker has answered within a second: `howdah top --once` says what holds them',
        };
        $trouble = $trouble === '' ? '' : "\n        $trouble";

        return VisibleText::lines("{$record->pid}  {$record->address}  $where  {$record->mode} mode, {$record->workers} x"
            . " {$record->atOnce} requests at once, since " . date('Y-m-d H:i:s', $record->since)
            . $reloading . $trouble . $failure);
    }
}
