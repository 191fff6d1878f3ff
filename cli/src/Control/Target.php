<?php

declare(strict_types=1);

namespace Howdah\Cli\Control;

use Howdah\Cli\Failure;
use Symfony\Component\Console\Command\Command;
use Symfony\Component\Console\Input\InputArgument;
use Symfony\Component\Console\Input\InputInterface;
use Symfony\Component\Console\Input\InputOption;

/** The server that a command is about: by its project, by its process, or because there is one only. */
final class Target
{
    public const HELP = 'Name the server by its project (PATH as it was given to `howdah serve`, or the folder to which that'
        . " leads)\nor by --pid. If only one server runs, neither is needed.";

    public static function define(Command $command): void
    {
        $command->addArgument('path', InputArgument::OPTIONAL, "The project's folder (default: there is one server)")
            ->addOption('pid', null, InputOption::VALUE_REQUIRED, 'The process of `howdah serve`', null, self::pids(...));
    }

    /** @return array{string, ServerRecord} the folder in which its record is, and that */
    public static function find(InputInterface $input): array
    {
        $path = $input->getArgument('path');
        if ($path === '') {
            throw new Failure('the folder is empty, a variable that is not set perhaps: name a project, or leave it out');
        }

        return RunningServers::one(is_string($path) ? $path : null, self::pid($input));
    }

    /** @return list<string> for a shell that completes them */
    private static function pids(): array
    {
        $records = array_values(RunningServers::all());

        return array_map(static fn (ServerRecord $record): string => (string) $record->pid, $records);
    }

    private static function pid(InputInterface $input): ?int
    {
        $text = $input->getOption('pid');
        if (!is_string($text)) {
            return null;
        }
        if (preg_match('/^[1-9]\d{0,8}$/D', $text) !== 1) {
            throw new Failure("--pid=$text is no number of a process: `howdah status` lists them");
        }

        return (int) $text;
    }

    /** Asks `howdah serve` for something. */
    public static function signal(ServerRecord $record, int $signal): void
    {
        if (!posix_kill($record->pid, $signal)) {
            throw new Failure("process {$record->pid} cannot be told: " . lcfirst(posix_strerror(posix_get_last_error())));
        }
    }
}
