<?php

declare(strict_types=1);

namespace Howdah\Cli\Tests;

use Howdah\Cli\Console;
use Howdah\Cli\Installation;
use Howdah\Cli\Program;
use Symfony\Component\Console\Input\StringInput;
use Symfony\Component\Console\Output\ConsoleOutput;

/**
 * The command as a whole, in an installation made for the test: programs that are missing, too old or broken are stood in for
 * by small scripts.
 */
final class ConsoleTest extends CliTestCase
{
    public function test_a_mistake_is_one_line_without_a_trace(): void
    {
        foreach (['serve /no/such/project', 'serve --workers=0', 'serve --no-such-option', 'no-such-command'] as $arguments) {
            $this->assertFails($this->howdah($arguments), '');
        }
    }

    public function test_a_mistake_is_answered_with_the_help_of_its_command(): void
    {
        foreach (['serve' => 1, 'doctor' => 1, 'audit' => 2] as $command => $status) {
            $answer = $this->howdah("$command --no-such-option");

            self::assertSame($status, $answer->status, $command);
            self::assertStringContainsString("see `howdah help $command`", $answer->errors);
        }
    }

    /** Each of them took a twentieth of a start of `howdah serve`. */
    public function test_no_program_is_asked_for_the_size_of_a_terminal_that_is_not_there(): void
    {
        $folder = $this->project(['stty' => "#!/bin/sh\ntouch \"$0.ran\"\n"]);
        chmod("$folder/stty", 0755);
        $environment = ['env', '-u', 'COLUMNS', '-u', 'LINES', "PATH=$folder:/usr/sbin:/usr/bin:/sbin:/bin"];
        $answer = Program::run([...$environment, PHP_BINARY, dirname(__DIR__, 2) . '/bin/howdah', 'version']);

        self::assertSame(0, $answer->status, $answer->errors);
        self::assertFileDoesNotExist("$folder/stty.ran");
    }

    public function test_help_of_each_command_says_how_to_use_it(): void
    {
        $commands = ['serve', 'reload', 'stop', 'status', 'config', 'doctor', 'audit', 'init', 'top', 'version'];
        foreach (['--help', ...array_map(static fn (string $name): string => "$name --help", $commands)] as $arguments) {
            $help = $this->howdah($arguments);
            self::assertSame(0, $help->status);
            self::assertStringContainsString('Usage:', $help->output);
        }
    }

    public function test_names_of_files_tell_a_terminal_nothing(): void
    {
        $project = $this->project(['index.php' => '', 'vendor/a.php' => ''], "a\e[2J\xc2\x9bb");

        foreach (['doctor', 'doctor --ansi', 'serve --mode=worker', 'init -n'] as $command) {
            $answer = $this->howdah("$command " . escapeshellarg($project));
            $text = (string) preg_replace('/\e\[[\d;]*m/', '', $answer->output . $answer->errors);

            self::assertStringContainsString('a?[2J', $text);
            self::assertDoesNotMatchRegularExpression("/\e|\xc2\x9b/", $text);
        }
    }

    public function test_standard_error_is_as_standard_output(): void
    {
        $output = new ConsoleOutput();
        $console = new Console(new Installation('', '', ''));
        $console->setAutoExit(false);
        $console->run(new StringInput('list -q'), $output);

        foreach ([$output, $output->getErrorOutput()] as $each) {
            self::assertSame('a?b', $each->getFormatter()->format("a\eb"));
        }
    }

    public function test_a_module_that_was_not_built_is_named_with_the_way_to_build_it(): void
    {
        $project = $this->project(['index.php' => '<?php']);

        foreach (['serve', 'config'] as $command) {
            $this->assertFails(
                $this->howdah("$command $project", $this->installation([])),
                'nginx module is missing',
                'make build',
            );
        }
    }

    public function test_an_engine_that_refuses_to_start_is_quoted(): void
    {
        $answer = $this->serve("#!/bin/sh\necho 'howdah: gc_globals was not found in libphp8.2.so' >&2; exit 1\n");

        $this->assertFails($answer, 'PHP does not start: gc_globals was not found in libphp8.2.so');
    }

    public function test_a_php_that_is_too_old_is_refused(): void
    {
        $answer = $this->serve($this->probe(['version' => '8.1.2']));

        $this->assertFails($answer, 'libphp is PHP 8.1.2, which is too old', 'libphp8.2-embed');
    }

    public function test_a_missing_opcache_is_named_with_its_package(): void
    {
        $answer = $this->serve($this->probe(['opcache' => null]));

        $package = 'php' . PHP_MAJOR_VERSION . '.' . PHP_MINOR_VERSION . '-opcache';
        $this->assertFails($answer, 'has no opcache', "apt-get install $package");
    }

    public function test_an_opcache_that_is_switched_off_is_named_with_its_setting(): void
    {
        $answer = $this->serve($this->probe(['opcache_enabled' => false, 'ini' => '/etc/php.ini']));

        $this->assertFails($answer, 'opcache.enable=1 in /etc/php.ini');
    }

    public function test_a_script_with_a_syntax_error_is_refused_with_its_line(): void
    {
        foreach (['index.php' => '', 'frankenphp-worker.php' => ''] as $script => $options) {
            $project = $this->project([$script => "<?php\n\nfunction {\n"]);

            $answer = $this->serve($this->probe([]), $project);

            $this->assertFails($answer, "$project/$script does not compile", 'line 3');
        }
    }

    public function test_a_module_that_nginx_does_not_load_is_refused_in_nginx_words(): void
    {
        $answer = $this->serve($this->probe([]));
        $lines = explode("\n", trim($answer->errors));

        // Behind what nginx said when it was to start.
        self::assertSame([1, ''], [$answer->status, $answer->output]);
        self::assertMatchesRegularExpression('/^howdah: .*does not load .*_module\.so: .*`make build`/', end($lines));
    }

    public function test_a_missing_or_old_nginx_is_named(): void
    {
        $project = $this->project(['index.php' => '<?php']);
        $old = $this->project(['nginx' => "#!/bin/sh\necho 'nginx version: nginx/1.18.0' >&2\n"]);
        chmod("$old/nginx", 0755);

        $answer = $this->howdah("serve $project", null, $old);

        $this->assertFails($answer, "$old/nginx is nginx 1.18.0, which is too old", '1.22.0');
    }

    public function test_version_tells_what_is_missing_and_fails(): void
    {
        $answer = $this->howdah('version', $this->installation([]));

        self::assertSame(1, $answer->status);
        self::assertMatchesRegularExpression('/^Howdah +\d/m', $answer->output);
        self::assertMatchesRegularExpression('/^nginx +1\./m', $answer->output);
        self::assertMatchesRegularExpression('/^module .* is missing/m', $answer->output);
        self::assertMatchesRegularExpression('/^PHP .* is missing/m', $answer->output);
    }

    private function serve(string $runner, ?string $project = null): Program
    {
        $project ??= $this->project(['index.php' => '<?php']);
        $installation = $this->installation(['howdah-run' => $runner, 'ngx_http_howdah_module.so' => 'no ELF file']);

        return $this->howdah("serve $project --listen=127.0.0.1:1", $installation);
    }

    private function howdah(string $arguments, ?string $installation = null, ?string $pathFirst = null): Program
    {
        $script = ($installation ?? dirname(__DIR__, 2)) . '/bin/howdah';
        $path = ($pathFirst === null ? '' : "$pathFirst:") . getenv('PATH');

        return Program::run(['env', "PATH=$path", PHP_BINARY, $script, '--no-ansi', ...explode(' ', $arguments)]);
    }

    private function assertFails(Program $answer, string ...$parts): void
    {
        self::assertSame(1, $answer->status, $answer->errors);
        self::assertSame('', $answer->output);
        self::assertStringStartsWith('howdah: ', $answer->errors);
        self::assertStringNotContainsString("\n", $answer->errors);
        self::assertStringNotContainsString('#0', $answer->errors);
        foreach ($parts as $part) {
            self::assertStringContainsString($part, $answer->errors);
        }
    }
}
