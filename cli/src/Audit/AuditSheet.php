<?php

declare(strict_types=1);

namespace Howdah\Cli\Audit;

use Howdah\Cli\Sheet;
use Symfony\Component\Console\Formatter\OutputFormatter;
use Symfony\Component\Console\Output\OutputInterface;

/** An audit as a person reads it: the table of what was found, what it means, and the verdict. */
final readonly class AuditSheet
{
    private const ROWS = 20;

    public function __construct(
        private Sheet $sheet,
        private OutputInterface $output,
    ) {
    }

    public function print(Audit $audit): void
    {
        $unexplained = $audit->report->unexplainedFindings();
        if ($unexplained !== []) {
            $this->unexplained($unexplained);
        }
        if ($this->output->isVerbose()) {
            $this->shared($audit->report->sharedFindings());
        }
        foreach ($this->remarks($audit) as $remark) {
            $this->line(wordwrap($remark, $this->sheet->width()));
        }
        $this->sheet->verdict($audit->isClean(), $audit->sentence());
    }

    /** @param non-empty-list<Word> $words */
    private function unexplained(array $words): void
    {
        $each = static fn (Word $word): array => [
            OutputFormatter::escape($word->object),
            OutputFormatter::escape($word->place),
            (string) $word->bytes,
            $word->firstSeen,
        ];
        if (count($words) <= self::ROWS) {
            $this->sheet->table(['library', 'variable', 'bytes', 'seen first'], array_map($each, $words));
        } else {
            $this->sheet->table(['library', 'variables', 'bytes', 'seen first'], $this->byObject($words));
            $this->line("\n--json names each of the " . count($words) . ' variables.');
        }
        $this->line('');
        foreach (Word::remedies($words) as $remedy) {
            $this->line(wordwrap("- $remedy", $this->sheet->width(), "\n  "));
        }
        $this->line('');
    }

    /**
     * @param  non-empty-list<Word> $words
     * @return list<list<string>>
     */
    private function byObject(array $words): array
    {
        $rows = [];
        foreach ($words as $word) {
            [$count, $bytes, $seen] = $rows[$word->object] ?? [0, 0, $word->firstSeen];
            $rows[$word->object] = [$count + 1, $bytes + $word->bytes, $seen];
        }

        return array_map(
            static fn (string $name, array $row): array => [OutputFormatter::escape($name), ...array_map(strval(...), $row)],
            array_keys($rows),
            array_values($rows),
        );
    }

    /** @param list<Word> $words */
    private function shared(array $words): void
    {
        $rows = [];
        foreach ($words as $word) {
            $key = "$word->object $word->name";
            $rows[$key] = [$word->object, $word->name, (string) ($word->bytes + (int) ($rows[$key][2] ?? 0)), $word->reason];
        }
        if ($rows !== []) {
            $this->sheet->table(['library', 'shared on purpose', 'bytes', 'why'], array_values($rows));
            $this->line('');
        }
    }

    /** @return list<string> */
    private function remarks(Audit $audit): array
    {
        $tally = $audit->tally;
        $report = $audit->report;
        $remarks = [sprintf(
            '%d KB of PHP, extensions and libraries, compared %d times; realms that answered: %d; seed: %d',
            intdiv($report->comparedBytes, 1024),
            $report->looks,
            $tally->realms(),
            $audit->seed,
        )];
        if ($audit->ended !== 'done') {
            $remarks[] = $audit->ended === 'time'
                ? 'The time was over before every client had asked for every page (--time, --rounds, --max-pages).'
                : 'It was stopped before every client had asked for every page.';
        }
        if ($report->lost > 0) {
            $remarks[] = "There was no room to note $report->lost of the words: they count as unexplained.";
        }
        if ($tally->failed() > 0) {
            $remarks[] = "Answers with an error of the server, or none at all: {$tally->failed()} (--log=FILE keeps the log): "
                . implode(', ', $tally->examples());
        }

        foreach (array_count_values($audit->crashes) as $crash => $times) {
            $remarks[] = ($times === 1 ? 'A worker' : "$times workers") . " crashed: $crash";
        }

        return [...$remarks, ...($audit->rewind?->remarks() ?? [])];
    }

    private function line(string $text): void
    {
        $this->output->writeln(OutputFormatter::escape($text));
    }
}
