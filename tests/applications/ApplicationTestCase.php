<?php

declare(strict_types=1);

namespace Howdah\ApplicationTests;

use PHPUnit\Framework\TestCase;
use Throwable;

/** Tests that walk through applications on both stacks, which are started once for all of them. */
abstract class ApplicationTestCase extends TestCase
{
    /** @var array{fpm: Stack, howdah: Stack}|null */
    private static ?array $stacks = null;

    /** @return list<Application> */
    protected static function applications(): array
    {
        return [new WordPress(), new MediaWiki(), new DokuWiki(), new PhpMyAdmin()];
    }

    /** @return array{fpm: Stack, howdah: Stack} */
    protected static function stacks(): array
    {
        if (self::$stacks === null) {
            $stacks = ['fpm' => new FpmStack(self::applications()), 'howdah' => new HowdahStack(self::applications())];
            register_shutdown_function(static fn () => array_map(static fn (Stack $stack) => $stack->stop(), $stacks));
            foreach ($stacks as $stack) {
                $stack->start();
            }
            self::$stacks = $stacks;
        }

        return self::$stacks;
    }

    /**
     * Makes the same walk on both and compares what was seen.
     *
     * @param callable(Browser, Stack): void $walk
     */
    protected static function assertSameWalk(Application $application, callable $walk): void
    {
        $seen = $messages = [];
        foreach (self::stacks() as $name => $stack) {
            $browser = $stack->browser($application);
            $before = strlen($stack->errors());
            $walk($browser, $stack);
            $seen[$name] = $browser->seen;
            $messages[$name] = self::messages(substr($stack->errors(), $before));
        }
        (new Comparison($application))->assertSame($seen['fpm'], $seen['howdah']);
        self::assertSame($messages['fpm'], $messages['howdah'], 'what PHP has logged: under php-fpm, under Howdah');
    }

    /** @return list<string> warnings and errors of PHP, each once */
    private static function messages(string $log): array
    {
        $lines = explode("\n", (string) preg_replace('~^\[[^]]*\] ~m', '', $log));
        $lines = array_values(array_unique((array) preg_replace('~[\w/]+/howdah-applications-[0-9a-f]+~', 'FOLDER', $lines)));
        sort($lines);

        return $lines;
    }

    /** A failed assertion about an answer is little use without what the servers logged meanwhile. */
    protected function onNotSuccessfulTest(Throwable $t): never
    {
        foreach (self::$stacks ?? [] as $name => $stack) {
            fwrite(STDERR, "\n---- log of $name ({$this->name()})\n" . substr($stack->log() . $stack->errors(), -3000) . "\n");
        }
        throw $t;
    }
}
