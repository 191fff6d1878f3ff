<?php

declare(strict_types=1);

namespace Howdah\Bench\Counts;

use Howdah\Bench\Load\WrongAnswer;
use Howdah\Bench\Machine\Interruption;
use Howdah\Cli\Failure;
use Howdah\Cli\Program;
use Symfony\Component\Console\Attribute\AsCommand;
use Symfony\Component\Console\Command\Command;
use Symfony\Component\Console\Input\InputInterface;
use Symfony\Component\Console\Input\InputOption;
use Symfony\Component\Console\Output\OutputInterface;

/** Counts that do not swing with the machine, beside those that are kept: fails where one has grown. */
#[AsCommand('counts', 'Counts what a request costs, and fails where it costs more than it did.')]
final class CountsCommand extends Command
{
    public function __construct(private readonly string $root)
    {
        parent::__construct();
    }

    protected function configure(): void
    {
        $this->addOption('write', null, InputOption::VALUE_NONE, 'Keep what is counted, in bench/results/counts-SERIES.json');
    }

    protected function execute(InputInterface $input, OutputInterface $output): int
    {
        try {
            Interruption::onSignals();

            return $this->counts($input->getOption('write') === true, $output);
        } catch (Failure | WrongAnswer $reason) {
            fwrite(STDERR, "bench: {$reason->getMessage()}\n");

            return self::FAILURE;
        } catch (Interruption $reason) {
            return $reason->getCode();
        }
    }

    /**
     * Of a page that seems to have grown, counted again: what is luck is not there twice.
     *
     * @return array<string, int>
     */
    private function fewest(Counter $counter, Page $page, World $world, ?Counts $kept): array
    {
        $counts = $counter->count($page);
        $before = [$page->title() => $kept->counts[$page->title()] ?? $counts];
        if ((new Counts($world, [$page->title() => $counts]))->changes(new Counts($world, $before))[0] === []) {
            return $counts;
        }
        $again = $counter->count($page);

        return array_combine(
            array_keys($counts),
            array_map(static fn (int $one, int $other): int => min($one, $other), $counts, $again),
        );
    }

    private function counts(bool $writes, OutputInterface $output): int
    {
        $say = static fn (string $line) => $output->writeln($line, OutputInterface::OUTPUT_RAW);
        $valgrind = Program::find('valgrind')
            ?? throw new Failure('valgrind counts, and is not installed: run `packaging/deps test`');
        $runner = "$this->root/build/howdah-run";
        $world = World::here($runner, $valgrind, Pages::projects($this->root));
        $file = "$this->root/bench/results/counts-{$world->series()}.json";
        $kept = $writes ? null : Counts::read($file);
        $differences = $kept === null ? ["none are kept for PHP {$world->series()}"] : $world->differences($kept->world);
        if (!$writes && $differences !== []) {
            $say('NOT RUN: counts are not compared: ' . implode('; ', $differences)
                . '; `bench/run counts --write` keeps new ones');

            return self::SUCCESS;
        }
        $counter = new Counter($valgrind, $runner, "$this->root/build/still.so", "$this->root/bench/counts");
        $counts = [];
        foreach (Pages::of($this->root) as $page) {
            $counts[$page->title()] = $this->fewest($counter, $page, $world, $kept);
            foreach ($counts[$page->title()] as $kind => $count) {
                $say(sprintf('%-28s %14s  %s', $page->title(), number_format($count), $kind));
            }
        }
        $now = new Counts($world, $counts);
        if ($kept === null) {
            $now->write($file);
            $say("kept in $file");

            return self::SUCCESS;
        }
        [$grown, $told] = $now->changes($kept);
        array_map($say, $told);
        if ($grown === []) {
            $say('counts: none has grown by more than ' . 100 * Counts::BOUND . ' %');

            return self::SUCCESS;
        }
        array_map(static fn (string $line) => $say("GROWN: $line"), $grown);
        $say('counts: a request costs more than it did. Find what (bench/README.md#counts-that-do-not-swing), or keep the'
            . ' new counts and say why in the commit: bench/run counts --write');

        return self::FAILURE;
    }
}
