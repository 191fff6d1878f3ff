<?php

declare(strict_types=1);

namespace Howdah\Cli\Tests;

use Howdah\Cli\Program;
use PHPUnit\Framework\Attributes\TestWith;

/** What `howdah config` prints, by an installation whose PHP is a script. */
final class ConfigTest extends CliTestCase
{
    public function test_applications_see_the_environment_of_the_caller_and_nothing_of_the_console(): void
    {
        $answer = $this->config(['-vv'], ['COLUMNS=91', 'OF_THE_CALLER=1']);

        preg_match_all('/^env (\w+);$/m', $answer->output, $names);
        self::assertSame(['COLUMNS', 'OF_THE_CALLER', 'PATH'], $names[1]);
    }

    public function test_the_console_changes_no_variable_that_its_caller_has_set(): void
    {
        $told = $this->project(['told' => '']) . '/told';
        $runner = "#!/bin/sh\nenv >$told\n" . substr($this->probe([]), strlen("#!/bin/sh\n"));

        $this->config(['-vv'], ['COLUMNS=91', 'SHELL_VERBOSITY=0'], $runner);

        $lines = explode("\n", (string) file_get_contents($told));
        self::assertContains('COLUMNS=91', $lines);
        self::assertContains('SHELL_VERBOSITY=0', $lines);
        self::assertSame([], preg_grep('/^LINES=/', $lines));
    }

    /** @param list<string> $options */
    #[TestWith(['8M', [], 128 << 20, 8 << 20], 'php.ini')]
    #[TestWith(['1G', [], 1 << 30, 1 << 30], 'php.ini, more than is usual')]
    #[TestWith(['0', [], 0, null], 'php.ini, no limit')]
    #[TestWith(['8M', ['--max-body=300m'], 300 << 20, 8 << 20], '300m')]
    #[TestWith(['8M', ['--max-body=0'], 0, 8 << 20], 'no limit')]
    #[TestWith(['8M', ['--max-body=12'], 12, 8 << 20], '12 bytes')]
    #[TestWith(['8M', [], 128 << 20, null, '0'], 'PHP parses no forms')]
    public function test_forms_are_bound_by_what_php_takes_and_bodies_by_what_is_said(
        string $postMaxSize,
        array $options,
        int $bytes,
        ?int $forms,
        string $parses = '1',
    ): void {
        $settings = ['post_max_size' => $postMaxSize, 'enable_post_data_reading' => $parses];
        $answer = $this->config($options, [], $this->probe(['settings' => $settings]));

        self::assertStringContainsString("    client_max_body_size $bytes;\n", $answer->output);
        $found = preg_match('/^    howdah_max_form (\d+);$/m', $answer->output, $match) === 1 ? (int) $match[1] : null;
        self::assertSame($forms, $found);
    }

    public function test_a_limit_that_is_no_size_is_refused(): void
    {
        foreach (['', '8MB', '-1', '1.5G'] as $size) {
            $message = $this->failure(fn () => $this->options("--max-body=$size"));
            self::assertStringStartsWith("--max-body=$size is no size: give bytes, or a number with K, M or G", $message);
        }
    }

    /** A relative name of a socket is below the folder that nginx is started in: a second nginx there could not start. */
    public function test_the_socket_of_serve_is_not_in_it(): void
    {
        self::assertStringNotContainsString('unix:', $this->config([])->output);
    }

    public function test_an_application_that_would_run_as_root_is_told_of_and_said_in_the_text(): void
    {
        if (posix_geteuid() !== 0) {
            self::assertStringNotContainsString("\nuser ", $this->config([])->output);

            return;
        }
        $silent = $this->config([]);
        $asked = $this->config(['--user=www-data']);

        self::assertStringContainsString('howdah: started as root, so the application runs as root', $silent->errors);
        $comment = '# The application runs as root: --user= names another user.';
        self::assertStringContainsString("$comment\nuser root;\n", $silent->output);
        self::assertSame('', $asked->errors);
        self::assertStringContainsString("user www-data;\n", $asked->output);
    }

    /** What is root's own is not for another user's workers. */
    public function test_another_users_workers_have_no_folders_that_they_may_not_enter(): void
    {
        if (posix_geteuid() !== 0) {
            self::markTestSkipped('only root runs workers as another user');
        }
        $folder = $this->project(['mine/host' => '', 'open/host' => '']);
        chmod(dirname($folder), 0755);
        chmod("$folder/mine", 0700);
        $environment = ["PATH=$folder/mine:/usr/bin:$folder/none::$folder/open:/bin", 'HOME=/root', 'LOGNAME=root',
            'XDG_RUNTIME_DIR=/run/user/0', "TMPDIR=$folder/mine", "TMP=$folder", 'KEPT=1'];
        chmod($folder, 0777);

        $other = $this->config(['--user=www-data'], $environment);
        $same = $this->config([], $environment);

        preg_match_all('/^env (.+);$/m', $other->output, $lines);
        self::assertSame(['KEPT', "\"PATH=/usr/bin:$folder/open:/bin\"", 'TMP'], $lines[1]);
        preg_match_all('/^env (.+);$/m', $same->output, $lines);
        self::assertSame(['HOME', 'KEPT', 'LOGNAME', 'PATH', 'TMP', 'TMPDIR', 'XDG_RUNTIME_DIR'], $lines[1]);
    }

    public function test_help_without_a_command_is_howdahs(): void
    {
        $help = $this->howdah(['--help'], []);

        self::assertSame(0, $help->status);
        self::assertStringContainsString('Start with:  howdah serve /path/to/project', $help->output);
        self::assertMatchesRegularExpression('/^  serve +Serve a project/m', $help->output);
        self::assertStringNotContainsString('The list command', $help->output);
        self::assertSame($help->output, $this->howdah(['-h'], [])->output);
    }

    /**
     * @param list<string> $options
     * @param list<string> $environment beside PATH
     */
    private function config(array $options, array $environment = [], ?string $runner = null): Program
    {
        $project = $this->project(['index.php' => '<?php']);

        return $this->howdah(['config', $project, ...$options], $environment, $runner);
    }

    /**
     * @param list<string> $arguments
     * @param list<string> $environment
     */
    private function howdah(array $arguments, array $environment, ?string $runner = null): Program
    {
        $root = $this->installation(['howdah-run' => $runner ?? $this->probe([]), 'ngx_http_howdah_module.so' => 'a module']);
        $command = ['env', '-i', 'PATH=' . getenv('PATH'), ...$environment, PHP_BINARY, "$root/bin/howdah", '--no-ansi'];
        $answer = Program::run([...$command, ...$arguments]);
        self::assertSame(0, $answer->status, $answer->errors);

        return $answer;
    }
}
