<?php

declare(strict_types=1);

namespace Howdah\Cli\Tests;

use Howdah\Cli\ServeOptions;
use Symfony\Component\Console\Command\Command;
use Symfony\Component\Console\Input\InputOption;

/** docs/options.md: each option that `howdah serve` takes, and no other. */
final class OptionsPageTest extends CliTestCase
{
    public function test_the_page_has_each_option_of_serve_and_no_other(): void
    {
        $serve = new Command('serve');
        ServeOptions::define($serve);
        $name = static fn (InputOption $option): string => $option->getName();

        self::assertEqualsCanonicalizing(
            array_values(array_map($name, $serve->getDefinition()->getOptions())),
            self::named(),
        );
    }

    /** @return list<string> options of the first column of the page's tables */
    private static function named(): array
    {
        $page = (string) file_get_contents(dirname(__DIR__, 2) . '/docs/options.md');
        preg_match_all('/^\| (`-.*?) \| /m', $page, $cells);
        preg_match_all('/`--([a-z-]+)/', implode("\n", $cells[1]), $names);

        return array_values(array_unique($names[1]));
    }
}
