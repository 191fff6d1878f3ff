<?php

declare(strict_types=1);

namespace Howdah\Cli\Tests;

use Howdah\Cli\Mode;
use Howdah\Cli\Project;
use Howdah\Cli\ProjectFinder;
use PHPUnit\Framework\Attributes\DataProvider;

/** Projects as their frameworks make them: what is found without a word from anybody. */
final class FrameworkTest extends CliTestCase
{
    private const LARAVEL = ['artisan' => '', 'bootstrap/app.php' => '', 'public/index.php' => '', 'vendor/autoload.php' => '',
        'composer.json' => '{"require": {"laravel/framework": "^12.0"}}'];

    private const OCTANE = ['vendor/laravel/octane/bin/frankenphp-worker.php' => ''];

    private const SYMFONY = ['bin/console' => '', 'config/bundles.php' => '', 'vendor/autoload_runtime.php' => '',
        'public/index.php' => "<?php require_once dirname(__DIR__).'/vendor/autoload_runtime.php';",
        'vendor/symfony/runtime/SymfonyRuntime.php' => '', '.env' => "# comment\nAPP_ENV=prod\n"];

    private const RUNNER = ['vendor/symfony/runtime/Runner/FrankenPhpWorkerRunner.php'
        => "<?php \$reset = \$server['FRANKENPHP_RESET_KERNEL'] ?? false;"];

    private const FIRST_RUNNER = ['vendor/symfony/runtime/Runner/FrankenPhpWorkerRunner.php' => '<?php'];

    private function find(string $root, string $options = ''): Project
    {
        return (new ProjectFinder())->find($this->options($options, $root));
    }

    /** @return iterable<string, array{array<string, string>, string, string}> */
    public static function classic(): iterable
    {
        yield 'Laravel' => [self::LARAVEL, 'public', 'has said outlives a request: --mode=worker boots it once'];
        yield 'Laravel that is not installed' => [self::without('vendor/autoload.php'), 'public', '`composer install`'];
        yield 'Symfony without the Runtime' => [
            ['bin/console' => '', 'config/bundles.php' => '', 'public/index.php' => ''], 'public',
            'Symfony without symfony/runtime',
        ];
        yield 'Symfony before 7.4' => [self::SYMFONY, 'public', 'no runner for FrankenPHP: --mode=worker boots it once'];
        yield 'Symfony whose runner keeps services' => [self::SYMFONY + self::FIRST_RUNNER, 'public',
            'keeps services from request to request: --mode=worker boots it once'];
        $spark = ['spark' => '', 'app/Config/Paths.php' => '', 'public/index.php' => ''];
        yield 'CodeIgniter before 4.7' => [$spark, 'public', 'CodeIgniter, which has worker scripts from 4.7 on'];
        $installer = ['vendor/codeigniter4/framework/system/Commands/Worker/WorkerInstall.php' => ''];
        yield 'CodeIgniter' => [$spark + $installer, 'public', '`php spark worker:install` writes one'];
        $slim = ['composer.json' => '{"require": {"slim/slim": "^4"}}', 'public/index.php' => ''];
        yield 'Slim' => [$slim, 'public', 'Slim without a worker script: docs/start/slim.md has one'];
        $mezzio = ['composer.json' => '{"require": {"mezzio/mezzio": "^3"}}', 'public/index.php' => ''];
        yield 'Mezzio' => [$mezzio, 'public', 'Mezzio without a worker script: docs/start/slim.md has one'];
        yield 'WordPress' => [['wp-load.php' => '', 'wp-includes/a.php' => '', 'index.php' => ''], '', 'WordPress'];
        $drupal = ['composer.json' => '{"require": {"drupal/core-recommended": "^11"}}', 'web/index.php' => '',
            'web/core/lib/Drupal.php' => ''];
        yield 'Drupal by Composer' => [$drupal, 'web', 'Drupal'];
        // From 11.4 on its front controller is one for symfony/runtime, and it is no Symfony all the same.
        $runtime = ['vendor/autoload_runtime.php' => '', 'vendor/symfony/runtime/SymfonyRuntime.php' => '',
            'web/index.php' => "require_once 'autoload_runtime.php';"] + self::RUNNER;
        yield 'Drupal with the Runtime' => [$runtime + $drupal, 'web', 'Drupal'];
        yield 'TYPO3' => [['public/typo3/index.php' => '', 'public/index.php' => ''], 'public', 'TYPO3'];
        $joomla = ['administrator/index.php' => '', 'libraries/src/a.php' => '', 'index.php' => ''];
        yield 'Joomla' => [$joomla, '', 'Joomla'];
        $phpbb = ['app.php' => '', 'phpbb/a' => '', 'includes/a' => '', 'viewtopic.php' => '', 'index.php' => ''];
        yield 'phpBB' => [$phpbb, '', 'phpBB'];
        yield 'plain' => [['index.php' => ''], '', 'found in the document root'];
    }

    /** @param array<string, string> $files */
    #[DataProvider('classic')]
    public function test_what_is_not_safe_in_worker_mode_is_served_in_classic_mode(
        array $files,
        string $docroot,
        string $reason,
    ): void {
        $root = $this->project($files);

        $project = $this->find($root);

        self::assertSame(Mode::Classic, $project->mode);
        self::assertSame(rtrim("$root/$docroot", '/'), $project->docroot);
        $front = $reason === 'phpBB' ? 'app.php' : 'index.php';
        self::assertSame("$project->docroot/$front", $project->script);
        self::assertStringContainsString($reason, $project->reason);
        self::assertSame('asked for by --mode=classic', $this->find($root, '--mode=classic')->reason);
    }

    public function test_octane_s_worker_script_gets_what_octane_start_sets(): void
    {
        $root = $this->project([...self::LARAVEL, ...self::OCTANE]);

        $project = $this->find($root);

        self::assertSame(Mode::Worker, $project->mode);
        self::assertSame("$root/vendor/laravel/octane/bin/frankenphp-worker.php", $project->script);
        self::assertSame("Laravel with Octane's worker script for FrankenPHP", $project->reason);
        self::assertSame([
            'APP_BASE_PATH' => $root,
            'APP_PUBLIC_PATH' => "$root/public",
            'LARAVEL_OCTANE' => '1',
            'MAX_REQUESTS' => '500',
            'REQUEST_MAX_EXECUTION_TIME' => '30',
        ], $project->environment);
        self::assertContains("$root/public/index.php", $project->boot, 'the worker script answers for it');
        $of = fn (string $options): string => $this->find($root, $options)->environment['MAX_REQUESTS'];
        self::assertSame(['20', (string) PHP_INT_MAX], [$of('--max-requests=20'), $of('--max-requests=0')]);
    }

    public function test_the_script_that_octane_installs_gets_it_too_and_octane_s_configuration_counts(): void
    {
        $root = $this->project([...self::LARAVEL, ...self::OCTANE, 'public/frankenphp-worker.php' => '',
            'config/octane.php' => "<?php return ['max_execution_time' => 7];"]);

        $project = $this->find($root);

        self::assertSame("$root/public/frankenphp-worker.php", $project->script);
        self::assertSame('7', $project->environment['REQUEST_MAX_EXECUTION_TIME'] ?? null);
    }

    public function test_a_worker_script_of_the_application_s_own_gets_nothing_of_ours(): void
    {
        $root = $this->project([...self::LARAVEL, 'public/frankenphp-worker.php' => '']);

        self::assertSame(Mode::Worker, $this->find($root)->mode);
        self::assertSame([], $this->find($root)->environment);
    }

    public function test_laravel_without_octane_gets_our_script_where_worker_mode_is_asked_for(): void
    {
        $root = $this->project(self::LARAVEL);

        $project = $this->find($root, '--mode=worker');

        self::assertSame(realpath(dirname(__DIR__) . '/resources/worker/laravel.php'), $project->script);
        self::assertSame(['HOWDAH_PROJECT' => $root], $project->environment);
        self::assertNull($project->inClassicMode(''), 'who asks for a mode gets no other');
    }

    /** @return iterable<string, array{array<string, string>, string, array<string, string>}> */
    public static function runners(): iterable
    {
        $ours = (string) realpath(dirname(__DIR__) . '/resources/worker/symfony.php');
        $front = 'ROOT/public/index.php';
        $reset = ['FRANKENPHP_RESET_KERNEL' => '1'];
        yield "the Runtime's own" => [self::RUNNER, $front, $reset];
        $runtime = ['APP_RUNTIME' => 'Howdah\\Runtime\\Runtime'];
        $package = ['vendor/howdah/runtime/src/Runtime.php' => ''];
        yield 'that of howdah/runtime' => [$package + self::RUNNER, $front, $reset + $runtime];
        $named = ['composer.json' => '{"extra": {"runtime": {"class": "Howdah\\\\Runtime\\\\Runtime"}}}'];
        yield 'that of howdah/runtime, named already' => [$package + $named, $front, $reset];
        yield 'ours' => [[], $ours, $reset + ['HOWDAH_PROJECT' => 'ROOT', 'HOWDAH_FRONT' => $front]];
        yield 'one that keeps services' => [self::FIRST_RUNNER, $front, $reset];
        foreach (['.env.local', '.env.prod', '.env.prod.local'] as $file) {
            $kept = [$file => 'export FRANKENPHP_RESET_KERNEL="0"'];
            yield "a kernel that is kept, says $file" => [$kept + self::RUNNER, $front, []];
        }
    }

    /**
     * @param array<string, string> $files
     * @param array<string, string> $environment
     */
    #[DataProvider('runners')]
    public function test_symfony_s_front_controller_gets_the_runner_that_is_there(
        array $files,
        string $script,
        array $environment,
    ): void {
        $root = $this->project([...self::SYMFONY, ...$files]);
        $here = static fn (string $text): string => str_replace('ROOT', $root, $text);

        $project = $this->find($root, '--mode=worker');

        self::assertSame(Mode::Worker, $project->mode);
        self::assertSame($here($script), $project->script);
        self::assertEquals(array_map($here, $environment), $project->environment);
        self::assertContains("$root/public/index.php", $project->boot, 'the worker script answers for it');
    }

    public function test_symfony_s_own_runner_is_taken_by_itself_where_it_can_renew_services(): void
    {
        $root = $this->project([...self::SYMFONY, ...self::RUNNER]);
        $said = $this->project([...self::SYMFONY, ...self::FIRST_RUNNER, '.env.local' => 'FRANKENPHP_RESET_KERNEL=0']);

        self::assertSame(Mode::Worker, $this->find($root)->mode);
        self::assertSame("Symfony with Symfony's runner for FrankenPHP", $this->find($root)->reason);
        self::assertSame(Mode::Worker, $this->find($said)->mode, 'the application says that it may be kept');
        foreach (['1', 'true', ''] as $value) {
            $wants = [...self::SYMFONY, ...self::FIRST_RUNNER, '.env.local' => "FRANKENPHP_RESET_KERNEL=$value"];
            self::assertSame(Mode::Classic, $this->find($this->project($wants))->mode, "$value: this runner does not reset");
        }
        self::assertSame('20', $this->find($root, '--max-requests=20')->environment['FRANKENPHP_LOOP_MAX']);
        self::assertSame('-1', $this->find($root, '--max-requests=0')->environment['FRANKENPHP_LOOP_MAX']);
    }

    public function test_symfony_in_development_sees_a_change_of_code_at_once(): void
    {
        foreach (['.env' => '', '.env.local' => 'APP_ENV=dev'] as $file => $text) {
            $root = $this->project([...self::SYMFONY, ...self::RUNNER, $file => $text]);

            self::assertSame(Mode::Classic, $this->find($root)->mode, $file);
            self::assertStringContainsString('APP_ENV=dev', $this->find($root)->reason);
            self::assertSame(Mode::Worker, $this->find($root, '--mode=worker')->mode);
        }
        $dumped = $this->project([...self::SYMFONY, ...self::RUNNER, '.env' => 'APP_ENV=dev',
            '.env.local.php' => "<?php return array (\n  'APP_ENV' => 'prod',\n);"]);
        self::assertSame(Mode::Worker, $this->find($dumped)->mode);
    }

    public function test_of_two_frameworks_none_is_guessed_and_what_can_be_served_is(): void
    {
        $root = $this->project([...self::LARAVEL, ...self::OCTANE, ...self::SYMFONY]);

        $project = $this->find($root);

        self::assertSame(Mode::Classic, $project->mode);
        self::assertStringContainsString('it looks like Laravel and like Symfony, so no worker', $project->reason);
        $message = $this->failure(fn () => $this->find($root, '--mode=worker'));
        self::assertStringContainsString('has no worker script', $message);
        self::assertStringContainsString('it looks like Laravel and like Symfony', $message);
    }

    public function test_a_framework_whose_front_controller_is_missing_is_refused_with_its_place(): void
    {
        $root = $this->project(['artisan' => '', 'bootstrap/app.php' => '', 'public/robots.txt' => '']);

        $message = $this->failure(fn () => $this->find($root));

        self::assertStringContainsString("there is nothing to serve in $root: index.php or", $message);
        self::assertStringContainsString('--docroot=DIR', $message);
    }

    public function test_what_is_found_and_does_not_boot_can_be_served_in_classic_mode(): void
    {
        $both = $this->project(['public/index.php' => '', 'public/frankenphp-worker.php' => '']);
        $alone = $this->project(['public/frankenphp-worker.php' => '']);

        $classic = $this->find($both)->inClassicMode('it does not boot');
        self::assertSame([Mode::Classic, "$both/public/index.php", 'it does not boot', []], [$classic?->mode, $classic?->script,
            $classic?->reason, $classic?->environment]);
        self::assertNull($this->find($alone)->inClassicMode(''));
        self::assertNull($this->find($both, '--mode=worker')->inClassicMode(''));
        self::assertNull($this->find($both, '--worker-script=public/frankenphp-worker.php')->inClassicMode(''));
    }

    /** @return array<string, string> Laravel's files */
    private static function without(string $name): array
    {
        return array_diff_key(self::LARAVEL, [$name => '']);
    }
}
