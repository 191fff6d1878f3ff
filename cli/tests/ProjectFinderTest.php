<?php

declare(strict_types=1);

namespace Howdah\Cli\Tests;

use Howdah\Cli\Mode;
use Howdah\Cli\Project;
use Howdah\Cli\ProjectFinder;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\TestWith;

#[Group('other')]
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

    public function test_a_relative_path_is_not_taken_from_another_project_if_this_one_has_it(): void
    {
        $both = (string) realpath($this->project([
            'shop/index.php' => '',
            'shop/shop/index.php' => '',
            'shop/web/index.php' => '',
            'shop/other.php' => '',
            'web/index.php' => '',
            'other.php' => '',
        ]));
        $before = (string) getcwd();
        try {
            chdir($both);

            self::assertSame("$both/shop/web", $this->find('shop --docroot=web')->docroot);
            self::assertSame("$both/shop", $this->find('shop --docroot=.')->docroot);
            self::assertSame("$both/shop/other.php", $this->find('shop --worker-script=other.php')->script);
            self::assertSame("$both/shop/web", $this->find('shop --docroot=shop/web')->docroot, "the shell's completion");
            self::assertSame("$both/shop/shop", $this->find('shop --docroot=shop')->docroot, 'as the hint says it');
            chdir('shop/web');
            self::assertSame("$both/shop", $this->find('.. --docroot=..')->docroot);
            self::assertSame("$both/shop/web", $this->find('.. --docroot=.')->docroot);
        } finally {
            chdir($before);
        }
    }

    public function test_a_folder_of_scripts_without_index_is_served_when_classic_mode_is_asked_for(): void
    {
        $root = $this->project(['hello.php' => '']);

        self::assertNull($this->find("$root --mode=classic")->script);
        self::assertStringContainsString('there is nothing to serve in', $this->failure(fn () => $this->find($root)));
    }

    /** Layouts of CakePHP, Yii, Baikal, Drupal by Composer and others, which all have their secrets beside the public folder. */
    #[TestWith(['public'], 'public')]
    #[TestWith(['webroot'], 'webroot')]
    #[TestWith(['web'], 'web')]
    #[TestWith(['html'], 'html')]
    #[TestWith(['htdocs'], 'htdocs')]
    #[TestWith(['public_html'], 'public_html')]
    #[TestWith(['www'], 'www')]
    #[TestWith(['docroot'], 'docroot')]
    public function test_a_public_folder_with_a_front_controller_wins_over_the_folder_around_it(string $name): void
    {
        $around = ['config/app.php' => '', 'logs/error.log' => '', 'composer.json' => '{}', 'public/style.css' => ''];
        $root = $this->project(["$name/index.php" => '', 'index.php' => '', ...$around]);

        foreach (['', ' --mode=classic'] as $options) {
            self::assertSame("$root/$name", $this->find($root . $options)->docroot, $options);
            self::assertSame("$root/$name/index.php", $this->find($root . $options)->script, $options);
        }
    }

    public function test_a_public_folder_without_scripts_is_one_of_files_where_the_front_controller_is_beside_it(): void
    {
        $root = $this->project(['index.php' => '', 'public/style.css' => '']);

        self::assertSame($root, $this->find($root)->docroot);
    }

    public function test_a_worker_script_that_is_named_needs_no_front_controller_in_public(): void
    {
        $root = $this->project(['index.php' => '', 'public/style.css' => '', 'worker.php' => '']);

        self::assertSame("$root/public", $this->find("$root --worker-script=worker.php")->docroot);
    }

    /** What helps a folder of scripts publishes config/ and all else of a project whose public folder has another name. */
    public function test_what_was_looked_for_is_named_and_nothing_is_advised_that_publishes_secrets(): void
    {
        $files = ['config/db.php' => '<?php // password', 'vendor/a.php' => '', 'composer.json' => '{}', 'run.php' => ''];
        $bare = $this->failure(fn () => $this->find($this->project($files)));
        $other = $this->failure(fn () => $this->find($this->project(['site/index.php' => '', ...$files])));
        $given = $this->failure(fn () => $this->find($this->project($files) . ' --docroot=config'));
        $scripts = $this->failure(fn () => $this->find($this->project(['a.php' => ''])));
        $pages = $this->failure(fn () => $this->find($this->project(['index.html' => '', 'templates/login.php' => ''])));

        foreach ([$bare, $other, $given] as $message) {
            self::assertStringNotContainsString('--mode=classic', $message);
            self::assertStringContainsString('index.php or frankenphp-worker.php', $message);
        }
        $names = 'in public/, webroot/, web/, html/, htdocs/, public_html/, www/, docroot/, pub/, Web/';
        self::assertStringContainsString($names, $bare);
        self::assertStringContainsString('--docroot=DIR', $bare);
        self::assertStringContainsString('if its public folder is site, say so: --docroot=site', $other);
        self::assertStringContainsString('/config (--docroot)', $given);
        self::assertStringContainsString('--mode=classic to serve a folder of scripts', $scripts);
        self::assertStringContainsString('--mode=classic to serve a folder of scripts', $pages);
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
