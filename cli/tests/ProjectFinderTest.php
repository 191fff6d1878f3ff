<?php

declare(strict_types=1);

namespace Howdah\Cli\Tests;

use Howdah\Cli\Mode;
use Howdah\Cli\Project;
use Howdah\Cli\ProjectFinder;

final class ProjectFinderTest extends CliTestCase
{
    private function find(string $commandLine): Project
    {
        return (new ProjectFinder())->find($this->options($commandLine));
    }

    public function test_a_front_controller_in_public_is_served_in_classic_mode(): void
    {
        $root = $this->project(['public/index.php' => '', 'index.php' => '']);

        $project = $this->find($root);

        self::assertSame(Mode::Classic, $project->mode);
        self::assertSame("$root/public", $project->docroot);
        self::assertSame("$root/public/index.php", $project->script);
    }

    public function test_without_public_the_folder_itself_is_the_document_root(): void
    {
        $root = $this->project(['index.php' => '']);

        self::assertSame([$root, "$root/index.php"], [$this->find($root)->docroot, $this->find($root)->script]);
    }

    public function test_a_worker_script_in_public_means_worker_mode(): void
    {
        $root = $this->project(['public/index.php' => '', 'public/frankenphp-worker.php' => '']);

        $project = $this->find($root);

        self::assertSame(Mode::Worker, $project->mode);
        self::assertSame("$root/public/frankenphp-worker.php", $project->script);
    }

    public function test_composer_json_may_name_the_worker_script(): void
    {
        $root = $this->project([
            'public/index.php' => '',
            'public/frankenphp-worker.php' => '',
            'bin/worker.php' => '',
            'composer.json' => '{"extra": {"howdah": {"worker": "bin/worker.php"}}}',
        ]);

        self::assertSame("$root/bin/worker.php", $this->find($root)->script);
    }

    public function test_the_command_line_wins_over_what_the_project_says(): void
    {
        $root = $this->project([
            'public/frankenphp-worker.php' => '',
            'public/index.php' => '',
            'other.php' => '',
            'web/index.php' => '',
        ]);

        self::assertSame("$root/other.php", $this->find("$root --worker-script=other.php")->script);
        self::assertSame("$root/other.php", $this->find("$root --worker-script=$root/other.php")->script);
        self::assertSame("$root/public/index.php", $this->find("$root --mode=classic")->script);
        self::assertSame("$root/web/index.php", $this->find("$root --docroot=web")->script);
    }

    public function test_a_folder_of_scripts_without_index_is_served_when_classic_mode_is_asked_for(): void
    {
        $root = $this->project(['hello.php' => '']);

        self::assertNull($this->find("$root --mode=classic")->script);
        self::assertStringContainsString('there is nothing to serve in', $this->failure(fn () => $this->find($root)));
    }

    public function test_a_missing_project_is_named(): void
    {
        $message = $this->failure(fn () => $this->find('/no/such/project'));

        self::assertStringContainsString('the project folder /no/such/project does not exist', $message);
        self::assertStringContainsString('howdah serve PATH', $message);
    }

    public function test_a_file_is_no_project(): void
    {
        $root = $this->project(['index.php' => '']);

        self::assertStringContainsString('is not a folder', $this->failure(fn () => $this->find("$root/index.php")));
    }

    public function test_a_missing_worker_script_is_named_with_a_way_out(): void
    {
        $root = $this->project([
            'index.php' => '',
            'composer.json' => '{"extra": {"howdah": {"worker": "bin/gone.php"}}}',
        ]);

        $named = $this->failure(fn () => $this->find($root));
        $given = $this->failure(fn () => $this->find("$root --worker-script=absent.php"));
        $none = $this->failure(fn () => $this->find($this->project(['index.php' => '']) . ' --mode=worker'));

        self::assertStringContainsString("$root/bin/gone.php (named by composer.json", $named);
        self::assertStringContainsString("$root/absent.php (given by --worker-script) does not exist", $given);
        self::assertStringContainsString('has no worker script', $none);
        foreach ([$named, $given, $none] as $message) {
            self::assertStringContainsString('--mode=classic', $message);
        }
    }

    public function test_options_that_contradict_each_other_are_refused(): void
    {
        $root = $this->project(['index.php' => '', 'worker.php' => '']);

        $message = $this->failure(fn () => $this->find("$root --mode=classic --worker-script=worker.php"));

        self::assertStringContainsString('leave one of them out', $message);
    }

    public function test_a_composer_json_that_says_nonsense_about_us_is_refused_and_a_broken_one_ignored(): void
    {
        $nonsense = $this->project(['index.php' => '', 'composer.json' => '{"extra": {"howdah": {"worker": 7}}}']);
        $broken = $this->project(['index.php' => '', 'composer.json' => '{"extra": {"howdah"']);

        self::assertStringContainsString('extra.howdah.worker must be', $this->failure(fn () => $this->find($nonsense)));
        self::assertSame(Mode::Classic, $this->find($broken)->mode);
    }
}
