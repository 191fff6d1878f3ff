<?php

declare(strict_types=1);

namespace Howdah\Tests\Engine;

use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;

/**
 * What a process has once, and each realm for itself: locale, environment and time zone, text domains, the system log's name.
 * (Folder and umask: WaitTest; the signal mask: CallsTest.)
 */
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
        foreach (['0', '1'] as $tenant) {
            foreach (['de', 'fr'] as $language) {
                mkdir($folder = self::$locales . "/$tenant/$language/LC_MESSAGES", recursive: true);
                file_put_contents("$folder/howdah.mo", self::catalog([
                    '' => "Content-Type: text/plain; charset=UTF-8\n",
                    'word' => "w\u{f6}rd of $tenant",
                ]));
            }
        }
    }

    /**
     * @param array<string, string> $texts sorted by their keys
     * @return string a GNU message catalogue (gettext manual, "The Format of GNU MO Files")
     */
    private static function catalog(array $texts): string
    {
        $count = count($texts);
        $at = 28 + 16 * $count;
        $tables = $strings = '';
        foreach ([array_keys($texts), $texts] as $column) {
            foreach ($column as $text) {
                $tables .= pack('VV', strlen((string) $text), $at + strlen($strings));
                $strings .= "$text\0";
            }
        }

        return pack('V7', 0x950412de, 0, $count, 28, 28 + 8 * $count, 0, 0) . $tables . $strings;
    }

    public static function tearDownAfterClass(): void
    {
        exec('rm -rf ' . escapeshellarg(self::$locales));
    }

    /** What was made of another realm's environment is not taken for its own (engine/sapi/environment.c). */
    public function testServerVariablesAreOfTheRealmsEnvironment(): void
    {
        $options = ['--mode=worker', '--expect=own', '--requests=320', '--at-once=32', '--realms=32', '--quiet'];
        $run = Runner::run('server-environment-worker.php', $options, ['env', 'HOWDAH_TEST_EMPTY=', '7=seven'], [
            'HOWDAH_TEST_NAME' => 'from outside',
            'HOWDAH_TEST_LONG' => str_repeat('long ', 1000),
        ], []);

        self::assertSame(0, $run->exit, $run->err);
        self::assertSame("howdah-run: 320 answers, 0 wrong\n", $run->err);
    }

    #[TestWith(['classic'], 'classic')]
    #[TestWith(['worker'], 'worker')]
    public function testLocaleAndEnvironmentAreTheRealmsOwn(string $mode): void
    {
        $script = $mode === 'classic' ? 'locale.php' : 'locale-worker.php';
        $options = ["--mode=$mode", '--expect=own', '--requests=400', '--at-once=16', '--query=n=%d', '--chaos=4', '--quiet'];

        $run = Runner::run($script, $options, environment: [
            'LOCPATH' => self::$locales,
            'HOWDAH_TEST_CATALOGS' => self::$locales,
            'SHARED_NAME' => 'from outside',
            'TZ' => 'UTC',
        ]);

        self::assertSame(0, $run->exit, $run->err);
        self::assertStringContainsString('400 answers, 0 wrong', $run->err);
        preg_match_all('/^(.*): of (\d+)$/m', $run->err, $lines);
        self::assertCount(900, $lines[0], 'three of each request with a log of its own, none of others');
        self::assertSame(preg_filter('/^/', 'own', $lines[2]), $lines[1], 'each under its name');
    }

    /** (The checks of tests/isolation have the rest.) */
    public function testWhatSqliteHasForAllConnectionsIsTheRequestsOwn(): void
    {
        $load = ['--requests=64', '--at-once=16', '--query=n=%d', '--chaos=3'];
        $run = Runner::run('databases.php', ['--expect=own', '--quiet', ...$load]);

        self::assertSame(0, $run->exit, $run->err);
    }

    #[TestWith(['classic', 'defaults.php'], 'classic')]
    #[TestWith(['worker', 'defaults-worker.php'], 'worker')]
    public function testWhatLibrariesFindOutOnceIsTheServersOrTheRequestsOwn(string $mode, string $script): void
    {
        $folder = self::$locales . '/catalogs';
        is_dir($folder) || mkdir($folder);
        foreach (['server', 'request'] as $whose) {
            file_put_contents("$folder/$whose-document.xml", "<$whose/>");
            file_put_contents("$folder/$whose.xml", '<catalog xmlns="urn:oasis:names:tc:entity:xmlns:xml:catalog">'
                . "<uri name='http://howdah.invalid/document.xml' uri='file://$folder/$whose-document.xml'/>"
                . "<system systemId='http://howdah.invalid/document.xml' uri='file://$folder/$whose-document.xml'/></catalog>");
        }
        $load = ['--requests=64', '--at-once=16', '--query=n=%d'];
        $run = Runner::run($script, ["--mode=$mode", '--expect=own', '--quiet', ...$load], environment: [
            'TZ' => 'Europe/Lisbon',
            'LC_ALL' => 'fr_FR.UTF-8',
            'XML_CATALOG_FILES' => "$folder/server.xml",
            'HOWDAH_TEST_CATALOGS' => $folder,
        ]);

        self::assertSame(0, $run->exit, $run->err);
    }
}
