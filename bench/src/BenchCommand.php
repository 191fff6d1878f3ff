<?php

declare(strict_types=1);

namespace Howdah\Bench;

use Howdah\Bench\Load\Load;
use Howdah\Bench\Load\WrongAnswer;
use Howdah\Bench\Machine\Allotments;
use Howdah\Bench\Machine\GoProgram;
use Howdah\Bench\Machine\Interruption;
use Howdah\Bench\Machine\Machine;
use Howdah\Bench\Machine\Missing;
use Howdah\Bench\Machine\Peer;
use Howdah\Bench\Machine\Readiness;
use Howdah\Bench\Machine\Tools;
use Howdah\Bench\Report\Comparison;
use Howdah\Bench\Report\Folder;
use Howdah\Bench\Report\Overview;
use Howdah\Bench\Report\Report;
use Howdah\Bench\Report\Result;
use Howdah\Bench\Server\Running;
use Howdah\Bench\Suite\Run;
use Howdah\Bench\Suite\Suite;
use Howdah\Cli\Failure;
use Howdah\Cli\Program;
use Symfony\Component\Console\Attribute\AsCommand;
use Symfony\Component\Console\Command\Command;
use Symfony\Component\Console\Input\InputArgument;
use Symfony\Component\Console\Input\InputInterface;
use Symfony\Component\Console\Input\InputOption;
use Symfony\Component\Console\Output\OutputInterface;

/**
 * The command line: chooses suites, runs them, prints and keeps the report.
 *
 * Ends non-zero when an answer was wrong or a server did not start, never because something was slow.
 */
#[AsCommand('bench', 'Compares Howdah with nginx and php-fpm on this machine.')]
final class BenchCommand extends Command
{
    private const ROUNDS = 3;
    private const SHORT_SECONDS = 1;
    private const FULL_SECONDS = 5;

    /** The suites with goals beside FrankenPHP, as they were run when they were set. */
    private const GOALS = 'goals';
    private const GOAL_ROUNDS = 5;
    private const GOAL_SECONDS = 3;

    public function __construct(private readonly string $root)
    {
        parent::__construct();
    }

    protected function configure(): void
    {
        $this
            ->addArgument(
                'suite',
                InputArgument::IS_ARRAY,
                'The suites to run (all), or: goals; compare BEFORE.json AFTER.json; draw RESULTS.json',
            )
            ->addOption('full', null, InputOption::VALUE_NONE, 'All contenders, longer, more often (README.md: how long)')
            ->addOption('rounds', null, InputOption::VALUE_REQUIRED, 'How often each contender is measured, at least 3')
            ->addOption('seconds', null, InputOption::VALUE_REQUIRED, 'How long each time')
            ->addOption('workers', null, InputOption::VALUE_REQUIRED, 'Workers of nginx where a suite has a choice', '1')
            ->addOption('rate', null, InputOption::VALUE_REQUIRED, 'Requests a second of suites with constant arrival', '50')
            ->addOption('cpus', null, InputOption::VALUE_REQUIRED, 'Processors for each worker of a server, or all (1)')
            ->addOption('memory', null, InputOption::VALUE_REQUIRED, 'Memory for each server, as 1G (all)')
            ->addOption('quiet-machine', null, InputOption::VALUE_NONE, 'Refuse, where it would warn')
            ->addOption('output', null, InputOption::VALUE_REQUIRED, 'Folder for results.md and results.json', 'build/bench')
            ->addOption('list', null, InputOption::VALUE_NONE, 'List the suites');
    }

    protected function execute(InputInterface $input, OutputInterface $output): int
    {
        try {
            Interruption::onSignals();

            return $this->bench($input, $output);
        } catch (Failure | WrongAnswer $reason) {
            $this->tell($reason->getMessage());

            return self::FAILURE;
        } catch (Interruption $reason) {
            $this->tell('interrupted: no report is written');

            return $reason->getCode();
        }
    }

    private function bench(InputInterface $input, OutputInterface $output): int
    {
        $wanted = $input->getArgument('suite');
        $word = is_array($wanted) ? $wanted[0] ?? null : null;
        if (is_array($wanted) && $word === 'compare') {
            return $this->compare($wanted, $output);
        }
        if (is_array($wanted) && $word === 'draw') {
            return $this->redraw($wanted, $this->text($input, 'output'));
        }
        $tools = Tools::find($this->root);
        $full = $input->getOption('full') === true;
        $choices = new Choices($this->number($input, 'workers', 1), $this->number($input, 'rate', 1), $full);
        $suites = new Suites($tools, $this->root, $choices);
        if ($input->getOption('list') === true) {
            foreach ([...$suites->all(), ...$suites->named()] as $suite) {
                $output->writeln(sprintf('%-16s %s', $suite->name(), $suite->title()), OutputInterface::OUTPUT_RAW);
            }

            return self::SUCCESS;
        }
        if ($word === self::GOALS) {
            $this->prepareGoals($input);
        }
        $run = $this->thoroughness($input);
        $chosen = $this->choose($suites, $input);
        $machine = Machine::describe($this->root, $tools);
        $warnings = Readiness::warnings();
        if ($warnings !== [] && $input->getOption('quiet-machine') === true) {
            throw new Failure('not begun: ' . implode('; ', $warnings));
        }
        array_map(fn (string $warning) => $this->tell("warning: $warning"), $warnings);
        array_map($this->setUp(...), $suites->projects());
        $settings = [
            'rounds' => "$run->rounds, $run->aloneRounds where servers start anew in each; each $run->seconds s"
                . ', with ' . Load::WARM_UP . ' s to warm up before the first, where no other time is told;'
                . ' medians, in parentheses smallest and largest',
        ];
        $phps = $suites->settings();
        $settings += $phps->ask($this->tell(...));
        $allotments = Allotments::of($this->choice($input, 'cpus'), $this->choice($input, 'memory'));
        $settings['each server is given'] = $allotments->describe();
        $settings += array_filter(['GOMAXPROCS of servers in Go' => GoProgram::describe()]);
        Running::give($allotments);
        Running::refuse($phps->refusals());
        $results = $times = [];
        try {
            foreach ($chosen as $suite) {
                $start = hrtime(true);
                $results[] = $this->result($suite, $run);
                $times[] = sprintf('%s %.0f s', $suite->name(), (hrtime(true) - $start) / 1e9);
            }
        } finally {
            Running::give(null);
            Running::refuse([]);
            $allotments->end();
        }
        $settings['what each suite took'] = implode(', ', $times);
        $settings += $warnings === [] ? [] : ['warnings' => implode('; ', $warnings)];
        $report = new Report($machine, $settings, $results);
        $this->keep($report, $this->text($input, 'output'));
        $this->draw($report->charts(), $this->text($input, 'output'));
        $output->write($report->markdown(), false, OutputInterface::OUTPUT_RAW);
        $failed = array_filter($results, fn (Result $result) => $result->hasFailed());

        return $failed === [] ? self::SUCCESS : self::FAILURE;
    }

    private function prepareGoals(InputInterface $input): void
    {
        $missing = Peer::FrankenPhp->missing();
        if ($missing !== null) {
            throw new Failure("the goals are beside FrankenPHP: $missing");
        }
        $input->setArgument('suite', Suites::GOALS);
        foreach (['rounds' => self::GOAL_ROUNDS, 'seconds' => self::GOAL_SECONDS] as $option => $usual) {
            $input->setOption($option, $input->getOption($option) ?? (string) $usual);
        }
    }

    private function choice(InputInterface $input, string $option): ?string
    {
        return $input->getOption($option) === null ? null : $this->text($input, $option);
    }

    private function thoroughness(InputInterface $input): Run
    {
        $full = $input->getOption('full') === true;
        $rounds = $input->getOption('rounds') === null ? self::ROUNDS : $this->number($input, 'rounds', self::ROUNDS);
        $seconds = $input->getOption('seconds') === null
            ? ($full ? self::FULL_SECONDS : self::SHORT_SECONDS)
            : $this->number($input, 'seconds', 1);
        $alone = $full || $input->getOption('rounds') !== null ? $rounds : 1;

        return new Run($rounds, $seconds, $this->tell(...), $alone);
    }

    /** @param array<mixed> $words compare, and two files */
    private function compare(array $words, OutputInterface $output): int
    {
        [, $before, $after] = $words + [null, null, null];
        if (count($words) !== 3 || !is_string($before) || !is_string($after)) {
            throw new Failure('compare takes two files: bench compare before/results.json after/results.json');
        }
        $output->write(Comparison::read($before, $after)->markdown(), false, OutputInterface::OUTPUT_RAW);

        return self::SUCCESS;
    }

    /** One suite's failure leaves the others their figures. */
    private function result(Suite $suite, Run $run): Result
    {
        try {
            return $suite->run($run);
        } catch (Missing $reason) {
            $this->tell("{$suite->name()} is skipped: {$reason->getMessage()}");

            return Result::skipped($suite->name(), $suite->title(), $reason->getMessage());
        } catch (Failure | WrongAnswer $reason) {
            $this->tell("{$suite->name()}: {$reason->getMessage()}");

            return Result::failed($suite->name(), $suite->title(), $reason->getMessage());
        }
    }

    /** @return list<Suite> */
    private function choose(Suites $suites, InputInterface $input): array
    {
        $wanted = $input->getArgument('suite');
        $wanted = is_array($wanted) ? $wanted : [];
        $all = $wanted === [] ? $suites->all() : [...$suites->all(), ...$suites->named()];
        $names = array_map(fn (Suite $suite) => $suite->name(), $all);
        foreach ($wanted as $name) {
            if (is_string($name) && !in_array($name, $names, true)) {
                throw new Failure("there is no suite '$name': there are " . implode(', ', $names));
            }
        }
        $chosen = fn (Suite $suite): bool => $wanted === [] || in_array($suite->name(), $wanted, true);

        return array_values(array_filter($all, $chosen));
    }

    private function setUp(string $project): void
    {
        $this->tell("$project/bin/setup");
        $setup = Program::run(["$project/bin/setup"]);
        if ($setup->status !== 0) {
            throw new Failure("$project/bin/setup ended with exit status $setup->status: $setup->output $setup->errors");
        }
    }

    /** @param array<mixed> $words draw, and a file */
    private function redraw(array $words, string $folder): int
    {
        $file = $words[1] ?? null;
        $results = is_string($file) ? json_decode((string) @file_get_contents($file), true) : null;
        $overview = count($words) === 2 && is_array($results) ? Overview::of($results) : null;
        if ($overview === null) {
            throw new Failure('draw takes a results.json with wait-200, wait-1000 or laravel-at-once: bench draw FILE.json');
        }
        $this->draw(['overview' => $overview->svg()], $folder);

        return self::SUCCESS;
    }

    /**
     * SVG, and PNG where the machine can make it.
     *
     * @param array<string, string> $charts SVG by file name without its end
     */
    private function draw(array $charts, string $folder): void
    {
        $folder = $this->absolute($folder) . '/charts';
        if (!is_dir($folder) && !@mkdir($folder)) {
            throw new Failure("cannot make $folder: choose another folder with --output");
        }
        $convert = Program::find('rsvg-convert');
        foreach ($charts as $name => $svg) {
            if (@file_put_contents("$folder/$name.svg", $svg) === false) {
                throw new Failure("cannot write $folder/$name.svg: choose another folder with --output");
            }
            $made = $convert === null ? null : Program::run([$convert, '-o', "$folder/$name.png", "$folder/$name.svg"]);
            if ($made !== null && $made->status !== 0) {
                throw new Failure("rsvg-convert made no $folder/$name.png: $made->errors");
            }
        }
        if ($convert === null) {
            $this->tell('the charts are SVG only: rsvg-convert is not installed (packaging/deps bench)');
        }
    }

    private function absolute(string $folder): string
    {
        return str_starts_with($folder, '/') ? $folder : "$this->root/$folder";
    }

    private function keep(Report $report, string $folder): void
    {
        $folder = $this->absolute($folder);
        (new Folder($folder))->write(['results.md' => $report->markdown(), 'results.json' => $report->json()]);
        $this->tell("the results are in $folder");
    }

    private function number(InputInterface $input, string $option, int $least): int
    {
        $number = filter_var($this->text($input, $option), FILTER_VALIDATE_INT);
        if ($number === false || $number < $least) {
            throw new Failure("--$option={$this->text($input, $option)}: it has to be a number, at least $least");
        }

        return $number;
    }

    private function text(InputInterface $input, string $option): string
    {
        $value = $input->getOption($option);

        return is_string($value) ? $value : '';
    }

    private function tell(string $what): void
    {
        fwrite(STDERR, "bench: $what\n");
    }
}
