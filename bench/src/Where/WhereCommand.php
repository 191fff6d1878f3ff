<?php

declare(strict_types=1);

namespace Howdah\Bench\Where;

use Howdah\Bench\Data\Postgres;
use Howdah\Bench\Data\Project;
use Howdah\Bench\Load\WrongAnswer;
use Howdah\Bench\Machine\Interruption;
use Howdah\Bench\Machine\Tools;
use Howdah\Bench\Server\Application;
use Howdah\Bench\Server\Realms;
use Howdah\Cli\Failure;
use Howdah\Cli\Program;
use Howdah\Cli\RuntimeFolder;
use Symfony\Component\Console\Attribute\AsCommand;
use Symfony\Component\Console\Command\Command;
use Symfony\Component\Console\Input\InputArgument;
use Symfony\Component\Console\Input\InputInterface;
use Symfony\Component\Console\Input\InputOption;
use Symfony\Component\Console\Output\OutputInterface;

/** Where a request's instructions go, by part, beside php's command line that calls the same handler in a loop. */
#[AsCommand('where', 'Tells by part what a request costs beyond the interpreter.')]
final class WhereCommand extends Command
{
    private const AT_ONCE = 8;

    /** Eight for each realm, then seven: in those that are powers of two it learns (engine/sapi/ahead.c). */
    private const WARM = 8 * self::AT_ONCE;
    private const COUNTED = 7 * self::AT_ONCE;

    public function __construct(private readonly string $root)
    {
        parent::__construct();
    }

    protected function configure(): void
    {
        $this->addArgument('page', InputArgument::IS_ARRAY, 'Of these pages only: json, ten-queries, ping');
        $this->addOption('functions', null, InputOption::VALUE_REQUIRED, 'Name so many functions, the dearest', '0');
    }

    protected function execute(InputInterface $input, OutputInterface $output): int
    {
        $postgres = new Postgres();
        $blog = null;
        try {
            Interruption::onSignals();
            $functions = (int) (is_string($input->getOption('functions')) ? $input->getOption('functions') : 0);
            $postgres->start();
            $blog = new Project("$this->root/examples/laravel", $postgres->environment());
            $laravel = $blog->application();
            $psr15 = "$this->root/examples/psr15/public";
            $pages = [
                'json' => [$laravel, '/api/hello'],
                'ten-queries' => [$laravel, '/bench'],
                'ping' => [new Application($psr15, "$psr15/index.php", "$psr15/frankenphp-worker.php"), '/ping'],
            ];
            $wanted = array_filter((array) $input->getArgument('page'), is_string(...));
            $unknown = array_diff($wanted, array_keys($pages));
            if ($unknown !== []) {
                $named = implode(', ', $unknown);
                throw new Failure("there is no page $named, but " . implode(', ', array_keys($pages)));
            }
            $isWanted = static fn (string $title): bool => $wanted === [] || in_array($title, $wanted, true);
            $pages = array_filter($pages, $isWanted, ARRAY_FILTER_USE_KEY);
            $howdah = $loop = [];
            foreach ($pages as $title => [$application, $path]) {
                fwrite(STDERR, "bench: $title\n");
                $howdah[$title] = $this->howdah($application, $path);
                $loop[$title] = $this->loop($application, $path);
            }
            $output->write($this->table($howdah, $loop), false, OutputInterface::OUTPUT_RAW);
            foreach ($functions > 0 ? $howdah : [] as $title => $profile) {
                $output->writeln("\n$title", OutputInterface::OUTPUT_RAW);
                foreach (array_slice($profile->functions(), 0, $functions) as $function => $cost) {
                    $output->writeln(sprintf('%10d %s', $cost / self::COUNTED, $function), OutputInterface::OUTPUT_RAW);
                }
            }

            return self::SUCCESS;
        } catch (Failure | WrongAnswer $reason) {
            fwrite(STDERR, "bench: {$reason->getMessage()}\n");

            return self::FAILURE;
        } catch (Interruption $reason) {
            return $reason->getCode();
        } finally {
            $blog?->remove();
            $postgres->stop();
        }
    }

    private function howdah(Application $application, string $path): Profile
    {
        $tools = Tools::find($this->root);
        $server = new Profiled(
            self::program('valgrind'),
            $tools->nginx,
            Realms::worker($tools->module, $application, self::AT_ONCE, self::AT_ONCE),
        );
        try {
            $server->start();
            $this->ask($server, $path, self::WARM);
            $server->begin();
            $this->ask($server, $path, self::COUNTED);

            return $server->end();
        } finally {
            $server->stop();
        }
    }

    private function ask(Profiled $server, string $path, int $requests): void
    {
        $clients = '--clients=' . self::AT_ONCE;
        $url = "http://127.0.0.1:{$server->port()}$path";
        do {
            $said = Program::run([self::program('h2load'), '--h1', $clients, "--requests=$requests", $url]);
            $right = preg_match("/ $requests succeeded, 0 failed/", $said->output) === 1
                && preg_match("/status codes: $requests 2xx/", $said->output) === 1;
            $listens = preg_match('/ 0 done/', $said->output) !== 1;
        } while (!$listens && $server->isRunning());
        if (!$right) {
            throw new WrongAnswer("$path: $said->output; {$server->complaint()}");
        }
    }

    private function loop(Application $application, string $path): Profile
    {
        $tools = Tools::find($this->root);
        $folder = new RuntimeFolder();
        try {
            $done = Program::run([
                '/usr/bin/env',
                "PHP_INI_SCAN_DIR={$tools->scanned()}",
                self::program('valgrind'),
                '--tool=callgrind',
                '--dump-before=php_get_current_user',
                "--callgrind-out-file=$folder->path/callgrind.out",
                self::program("php{$tools->php->series()}"),
                ...['-c', (string) $tools->php->ini, '-d', 'opcache.enable_cli=1'],
                ...["$this->root/bench/where/loop.php", $application->worker, $path],
                ...[(string) (self::WARM / self::AT_ONCE), (string) self::COUNTED],
            ]);
            if ($done->status !== 0) {
                $said = substr($done->output . $done->errors, -1000);
                throw new WrongAnswer("php ended with exit status $done->status: $said");
            }

            return Profile::read("$folder->path/callgrind.out.2");
        } finally {
            $folder->remove();
        }
    }

    private static function program(string $name): string
    {
        return Program::find($name) ?? throw new Failure("$name is not installed: run `packaging/deps bench test`");
    }

    /** @param array<string> $cells */
    private static function row(string $name, array $cells): string
    {
        return "| $name | " . implode(' | ', $cells) . " |\n";
    }

    /**
     * Markdown.
     *
     * @param array<string, Profile> $howdah
     * @param array<string, Profile> $loop
     */
    private function table(array $howdah, array $loop): string
    {
        $number = static fn (float $count): string => number_format($count / self::COUNTED);
        $parts = array_map(static fn (Profile $one) => $one->parts(), $howdah);
        $table = self::row('instructions for one request', array_keys($howdah));
        $table .= '|---|' . str_repeat('---:|', count($howdah)) . "\n";
        foreach (Part::cases() as $part) {
            $table .= self::row($part->value, array_map(static fn (array $of) => $number($of[$part->value]), $parts));
        }
        $all = static fn (Profile $one): string => $number($one->total());

        $switches = static fn (Profile $one): string => sprintf('%.1f', $one->calls('howdah_image_switch') / self::COUNTED);

        return $table . self::row('all', array_map($all, $howdah))
            . self::row('php\'s command line in a loop', array_map($all, $loop))
            . self::row('all, beside it', array_map(
                static fn (Profile $one, Profile $beside): string => sprintf('%.3f', $one->total() / $beside->total()),
                $howdah,
                $loop,
            )) . self::row('how often a realm takes another\'s place', array_map($switches, $howdah));
    }
}
