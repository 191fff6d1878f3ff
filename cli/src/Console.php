<?php

declare(strict_types=1);

namespace Howdah\Cli;

use Howdah\Cli\Command\AuditCommand;
use Howdah\Cli\Command\ConfigCommand;
use Howdah\Cli\Command\DoctorCommand;
use Howdah\Cli\Command\InitCommand;
use Howdah\Cli\Command\ReloadCommand;
use Howdah\Cli\Command\ServeCommand;
use Howdah\Cli\Command\StatusCommand;
use Howdah\Cli\Command\StopCommand;
use Howdah\Cli\Command\TopCommand;
use Howdah\Cli\Command\VersionCommand;
use Symfony\Component\Console\Application;
use Symfony\Component\Console\Command\Command;
use Symfony\Component\Console\Exception\CommandNotFoundException;
use Symfony\Component\Console\Exception\ExceptionInterface;
use Symfony\Component\Console\Formatter\OutputFormatter;
use Symfony\Component\Console\Input\ArrayInput;
use Symfony\Component\Console\Input\InputInterface;
use Symfony\Component\Console\Output\ConsoleOutput;
use Symfony\Component\Console\Output\ConsoleOutputInterface;
use Symfony\Component\Console\Output\OutputInterface;
use Throwable;

/** The howdah command: its subcommands, and how it fails (one line; a trace only for -vvv). */
final class Console extends Application
{
    private string $running = 'serve';

    /** @var array<string, string> as this process got it */
    private array $environment = [];

    public function __construct(Installation $installation)
    {
        parent::__construct('Howdah', Installation::VERSION);
        $this->setCatchErrors();
        $this->addCommands([
            new ServeCommand($installation),
            new ReloadCommand(),
            new StopCommand(),
            new StatusCommand(),
            new AuditCommand($installation),
            new ConfigCommand($installation),
            new DoctorCommand($installation),
            new InitCommand($installation),
            new TopCommand(),
            new VersionCommand($installation),
        ]);
    }

    public function getHelp(): string
    {
        return parent::getHelp() . "\n\nHowdah serves PHP applications, unmodified and concurrently, inside nginx's workers.\n"
            . "Start with:  <info>howdah serve /path/to/project</info>";
    }

    public function run(?InputInterface $input = null, ?OutputInterface $output = null): int
    {
        $this->environment = getenv();
        $this->nameSizesWithoutTerminal();
        $output ??= new ConsoleOutput();
        $errors = $output instanceof ConsoleOutputInterface ? $output->getErrorOutput() : null;
        // Each has a terminal of its own, or none.
        $ofErrors = $errors?->isDecorated() ?? false;
        $output->setFormatter(new VisibleFormatter($output->isDecorated()));
        $errors?->setFormatter(new VisibleFormatter($ofErrors));

        return parent::run($input, $output);
    }

    /**
     * The console library asks stty(1) for both, which knows nothing but the terminal of standard input: two programs at each
     * start. These are what it takes where there is none.
     */
    private function nameSizesWithoutTerminal(): void
    {
        foreach (stream_isatty(STDIN) ? [] : ['LINES' => 50, 'COLUMNS' => 80] as $name => $size) {
            if (getenv($name) === false) {
                putenv("$name=$size");
            }
        }
    }

    public function doRun(InputInterface $input, OutputInterface $output): int
    {
        $this->restoreEnvironment();
        if ($this->getCommandName($input) === null && $input->hasParameterOption(['--help', '-h'], true)) {
            return $this->doRunCommand($this->get('list'), new ArrayInput([]), $output);
        }

        return parent::doRun($input, $output);
    }

    /**
     * The console library sets variables for the programs that a command starts (SHELL_VERBOSITY, COLUMNS, LINES). Ours starts
     * applications, and those are to see what its caller has set.
     */
    private function restoreEnvironment(): void
    {
        $now = getenv();
        foreach (array_keys(array_diff_key($now, $this->environment)) as $name) {
            putenv($name);
        }
        foreach (array_diff_assoc($this->environment, $now) as $name => $value) {
            putenv("$name=$value");
        }
    }

    protected function doRunCommand(Command $command, InputInterface $input, OutputInterface $output): int
    {
        $this->running = $command->getName() ?? $this->running;

        return parent::doRunCommand($command, $input, $output);
    }

    public function renderThrowable(Throwable $e, OutputInterface $output): void
    {
        if ($output instanceof ConsoleOutputInterface) {
            $output = $output->getErrorOutput();
        }
        $message = trim($e->getMessage());
        if (!$e instanceof Failure && !$e instanceof ExceptionInterface) {
            $message = 'this should not have happened, please report it: ' . $e::class . ": $message"
                . " ({$e->getFile()}:{$e->getLine()})";
        }
        if ($e instanceof ExceptionInterface) {
            $help = $e instanceof CommandNotFoundException ? 'howdah list' : "howdah help {$this->running}";
            $message = rtrim((string) preg_replace('/\s+/', ' ', $message), '.?') . ": see `$help`";
        }
        $output->writeln('<error>howdah:</error> ' . OutputFormatter::escape($message), OutputInterface::VERBOSITY_QUIET);
        if ($output->isDebug()) {
            $output->writeln(OutputFormatter::escape($e->getTraceAsString()));
        }
    }
}
