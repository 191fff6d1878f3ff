<?php

declare(strict_types=1);

namespace Howdah\Cli;

use Symfony\Component\Console\Formatter\OutputFormatter;
use Symfony\Component\Console\Helper\Helper;
use Symfony\Component\Console\Helper\Table;
use Symfony\Component\Console\Output\OutputInterface;
use Symfony\Component\Console\Terminal;

/** What a command that judges prints: a table whose last column wraps, a line with the verdict; or JSON. */
final readonly class Sheet
{
    private const LEAST_WIDTH = 40;
    private const GAP = 3;

    public function __construct(private OutputInterface $output)
    {
    }

    /**
     * @param list<string>       $heads none are printed if all are empty
     * @param list<list<string>> $rows  formatted, but for the last column
     */
    public function table(array $heads, array $rows): void
    {
        $last = count($heads) - 1;
        $taken = 0;
        for ($column = 0; $column < $last; $column++) {
            $cells = [$heads[$column], ...array_column($rows, $column)];
            $taken += self::GAP + max(array_map(
                fn (string $cell): int => Helper::width(Helper::removeDecoration($this->output->getFormatter(), $cell)),
                $cells,
            ));
        }
        $width = max(self::LEAST_WIDTH, $this->width() - $taken);
        $table = new Table($this->output);
        $table->setStyle('compact')->getStyle()->setDefaultCrossingChar('')->setVerticalBorderChars('', '  ');
        if (array_filter($heads) !== []) {
            $table->setHeaders($heads);
        }
        foreach ($rows as $row) {
            $row[$last] = OutputFormatter::escape(wordwrap($row[$last], $width));
            $table->addRow($row);
        }
        $table->render();
    }

    /** Columns that a line may have. */
    public function width(): int
    {
        return max(2 * self::LEAST_WIDTH, (new Terminal())->getWidth());
    }

    public function verdict(bool $isGood, string $line): void
    {
        $this->output->writeln(sprintf("\n<%s>%s</>", $isGood ? 'info' : 'error', OutputFormatter::escape($line)));
    }

    /** @param array<string, mixed> $value */
    public function json(array $value): void
    {
        $flags = JSON_PRETTY_PRINT | JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE | JSON_INVALID_UTF8_SUBSTITUTE
            | JSON_THROW_ON_ERROR;
        $this->output->writeln(json_encode($value, $flags), OutputInterface::OUTPUT_RAW);
    }
}
