<?php

declare(strict_types=1);

namespace Howdah\Cli\Tests;

use Howdah\Cli\Console;
use Howdah\Cli\Installation;
use PHPUnit\Framework\Attributes\TestWith;
use Symfony\Component\Console\Tester\CommandCompletionTester;

/** What shells complete, beside names of commands and options, which the console library knows by itself. */
final class CompletionTest extends CliTestCase
{
    /** @param list<string> $values */
    #[TestWith(['serve', '--mode=', ['auto', 'classic', 'worker']], '--mode')]
    #[TestWith(['config', '--log=', ['combined', 'pretty', 'json']], '--log')]
    #[TestWith(['audit', '--jit=', ['off', 'tracing', 'function']], '--jit')]
    #[TestWith(['serve', '--client-abort=', ['cancel', 'continue']], '--client-abort')]
    #[TestWith(['serve', '--watch=', ['poll']], '--watch')]
    #[TestWith(['serve', '--trusted-proxy=', ['private', 'unix']], '--trusted-proxy')]
    #[TestWith(['top', '--sort=', ['age', 'wait', 'cpu', 'memory']], '--sort')]
    public function test_an_option_has_all_values_that_it_takes(string $command, string $option, array $values): void
    {
        self::assertSame($values, $this->complete($command, $option));
    }

    public function test_settings_users_and_addresses_are_those_of_this_machine(): void
    {
        self::assertContains('memory_limit=', $this->complete('serve', '--ini='));
        self::assertContains('root', $this->complete('serve', '--user='));
        self::assertContains('0.0.0.0', $this->complete('doctor', '--host='));
    }

    /** The shell completes files then. */
    #[TestWith(['serve', ''], 'a project')]
    #[TestWith(['serve', '--docroot='], 'a folder')]
    #[TestWith(['serve', '--tls-key='], 'a file')]
    public function test_a_path_is_left_to_the_shell(string $command, string $typed): void
    {
        self::assertSame([], $this->complete($command, $typed));
    }

    /** @return list<string> */
    private function complete(string $command, string $typed): array
    {
        $console = new Console(new Installation('/none', '/none', 'rebuild it'));

        $values = (new CommandCompletionTester($console->get($command)))->complete([$typed]);

        return array_values(array_filter($values, is_string(...)));
    }
}
