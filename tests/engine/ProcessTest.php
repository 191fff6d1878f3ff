<?php

declare(strict_types=1);

namespace Howdah\Tests\Engine;

use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;

/** What a process has once, and each realm for itself: locale, environment, text domain. (Folder and umask: WaitTest.) */
final class ProcessTest extends TestCase
{
    private static string $locales;

    public static function setUpBeforeClass(): void
    {
        self::$locales = sys_get_temp_dir() . '/howdah-locales-' . bin2hex(random_bytes(6));
        mkdir(self::$locales);
        foreach (['de_DE.UTF-8' => '-i de_DE -f UTF-8', 'fr_FR' => '-i fr_FR -f ISO-8859-1'] as $name => $source) {
            exec("localedef $source " . self::$locales . "/$name 2>&1", $lines, $status);
            self::assertSame(0, $status, implode("\n", $lines) . ': the packages locales and libc-bin are needed');
        }
    }

    public static function tearDownAfterClass(): void
    {
        exec('rm -rf ' . escapeshellarg(self::$locales));
    }

    #[TestWith(['classic'])]
    #[TestWith(['worker'])]
    public function testLocaleAndEnvironmentAreTheRealmsOwn(string $mode): void
    {
        $script = $mode === 'classic' ? 'locale.php' : 'locale-worker.php';
        $options = ["--mode=$mode", '--expect=own', '--requests=400', '--at-once=16', '--query=n=%d', '--chaos=4', '--quiet'];

        $run = Runner::run($script, $options, environment: ['LOCPATH' => self::$locales, 'SHARED_NAME' => 'from outside']);

        self::assertSame(0, $run->exit, $run->err);
        self::assertStringContainsString('400 answers, 0 wrong', $run->err);
    }
}
