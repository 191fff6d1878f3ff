<?php

declare(strict_types=1);

namespace Howdah\Cli\Tests;

use Howdah\Cli\Doctor\Finding;
use Howdah\Cli\Doctor\Platform;
use Howdah\Cli\Doctor\PlatformCheck;

/** What composer.json asks of PHP, against what libphp has. */
final class PlatformTest extends CliTestCase
{
    public function test_a_project_without_composer_asks_for_nothing(): void
    {
        self::assertSame([], $this->findings(['index.php' => '']));
        self::assertSame([], $this->findings(['composer.json' => 'no JSON']));
    }

    public function test_packages_that_are_not_installed_are_a_note(): void
    {
        $files = ['composer.json' => '{"require": {"a/b": "^1"}}', 'index.php' => "<?php require 'kirby/bootstrap.php';"];

        $this->assertMissing('note', $files);
    }

    /** Each page would be the error that says so. */
    public function test_packages_that_the_script_loads_and_that_are_not_installed_are_a_problem(): void
    {
        $composer = ['composer.json' => '{}'];
        $elsewhere = ['composer.json' => '{"config": {"vendor-dir": "lib/packages"}}'];

        $this->assertMissing('problem', [...$composer, 'index.php' => "<?php require '../vendor/autoload_runtime.php';"]);
        $this->assertMissing('problem', [...$elsewhere, 'index.php' => "<?php require 'lib/packages/autoload.php';"]);
        $this->assertMissing('note', [...$elsewhere, 'index.php' => "<?php require '../vendor/autoload.php';"]);
    }

    public function test_packages_that_a_site_may_have_are_not_missed(): void
    {
        $script = '<?php if(is_file("$root/vendor/autoload.php")) require("$root/vendor/autoload.php");';
        $all = ['index.php' => $script, 'composer.json' => '{"require": {"php": ">=7.1", "ext-json": "*"}}'];

        $named = '<?php $packages = "$root/vendor/autoload.php"; if(file_exists($packages)) require($packages);';

        foreach ([$all, ['index.php' => $named] + $all] as $files) {
            self::assertSame(['ok: 2 demands on PHP and its extensions are met'], $this->findings($files));
        }
        $this->assertMissing('problem', ['composer.json' => '{"require": {"a/b": "^1"}}'] + $all);
        $loads = '<?php if (is_file("a.php")) { echo 1; } $packages = __DIR__ . "/vendor/autoload.php"; require $packages;';
        $this->assertMissing('problem', ['index.php' => $loads, 'composer.json' => '{"require": {"php": ">=7.1"}}']);
    }

    public function test_what_is_there_is_well(): void
    {
        $require = ['php' => '^8.2', 'ext-json' => '*', 'ext-Zend-OPcache' => '*', 'ext-dom' => '*', 'a/b' => '^1'];
        $project = $this->composer($require);

        self::assertSame(['ok: 4 demands on PHP and its extensions are met'], $this->findings($project));
    }

    public function test_a_missing_extension_is_named_with_those_that_need_it_and_the_way_out(): void
    {
        $project = $this->composer(['ext-nosuch' => '*'], [
            ['name' => 'a/b', 'require' => ['ext-nosuch' => '*', 'ext-json' => '*']],
            ['name' => 'c/d', 'require' => ['ext-nosuch' => '*']],
            ['name' => 'e/f', 'require' => ['ext-nosuch' => '*']],
        ]);

        self::assertSame(['problem: the project, a/b, c/d and 1 more need ext-nosuch *, which libphp does not load:'
            . ' `apt-get install php8.2-nosuch`, and `phpenmod -s embed nosuch`'], $this->findings($project));
    }

    public function test_an_extension_of_the_command_line_alone_is_not_there(): void
    {
        self::assertTrue(extension_loaded('tokenizer'));
        $project = $this->composer(['ext-tokenizer' => '*']);
        $ways = [
            ['`phpenmod -s embed tokenizer`', null],
            ['`phpenmod -s fpm tokenizer`', '/etc/php/8.2/fpm'],
            ['load it in /srv/ini/php.ini or a file of /srv/ini/conf.d', '/srv/ini'],
        ];
        foreach ($ways as [$way, $phpIni]) {
            self::assertStringEndsWith("the command line does; $way", $this->findings($project, $phpIni)[0] ?? '');
        }
    }

    public function test_what_only_the_command_line_can_have_is_a_note(): void
    {
        $findings = $this->findings($this->composer(['ext-pcntl' => '*']));

        self::assertStringStartsWith('note: the project needs ext-pcntl, whose functions no web server', $findings[0] ?? '');
    }

    public function test_a_php_or_an_extension_of_another_version_is_named(): void
    {
        $findings = $this->findings($this->composer(['php' => '>=8.4', 'ext-redis' => '^6.1']));

        self::assertCount(2, $findings);
        self::assertStringContainsString('the project needs php >=8.4, and libphp is PHP 8.2.30', $findings[0]);
        self::assertStringContainsString('the project needs ext-redis ^6.1, and libphp has version 5.3.7', $findings[1]);
    }

    public function test_what_a_polyfill_provides_and_what_only_development_needs_is_not_missed(): void
    {
        $project = $this->composer(['ext-nosuch' => '*'], [
            ['name' => 'a/polyfill-nosuch', 'provide' => ['ext-nosuch' => '*']],
            ['name' => 'a/tests', 'require' => ['ext-other' => '*']],
        ], ['a/tests']);

        self::assertSame([], preg_grep('/^ok/', $this->findings($project), PREG_GREP_INVERT));
    }

    /**
     * @param  array<string, string>      $require
     * @param  list<array<string, mixed>> $packages
     * @param  list<string>               $development names of packages
     * @return array<string, string>
     */
    private function composer(array $require, array $packages = [], array $development = []): array
    {
        return [
            'composer.json' => (string) json_encode(['require' => $require, 'config' => ['vendor-dir' => 'lib']]),
            'lib/autoload.php' => '<?php',
            'lib/composer/installed.json' => (string) json_encode([
                'packages' => $packages,
                'dev-package-names' => $development,
            ]),
        ];
    }

    /** @param array<string, string> $files */
    private function assertMissing(string $rating, array $files): void
    {
        $message = "$rating: the packages of the project are not installed: run `composer install` there";

        self::assertSame([$message], $this->findings($files));
    }

    /**
     * @param  array<string, string> $files
     * @return list<string>
     */
    private function findings(array $files, ?string $phpIni = null): array
    {
        $php = $this->php(['version' => '8.2.30-1+deb12u1', 'extensions' => [
            'Core' => '8.2.30', 'json' => '8.2.30', 'redis' => '5.3.7', 'dom' => '20031129', 'Zend OPcache' => '8.2.30',
        ]]);

        $root = $this->project($files);

        return array_map(
            static fn (Finding $finding): string => "{$finding->rating->value}: $finding->message",
            (new PlatformCheck($php, Platform::of($root, "$root/index.php"), $phpIni))->findings(),
        );
    }
}
