<?php

declare(strict_types=1);

namespace Howdah\Cli\Tests;

use Howdah\Cli\Program;
use Howdah\Cli\Tls\Issuer;
use PHPUnit\Framework\Attributes\DataProvider;

/** `howdah init`, by an installation whose PHP is a script. */
final class InitTest extends CliTestCase
{
    private const FILES = ['deploy/nginx.conf', 'deploy/howdah.service', 'Dockerfile', '.dockerignore', 'compose.yaml'];

    public function test_a_known_project_gets_all_files_with_what_it_needs(): void
    {
        $root = $this->project(['artisan' => '', 'bootstrap/app.php' => '', 'public/index.php' => '',
            'vendor/autoload.php' => '',
            'vendor/laravel/octane/bin/frankenphp-worker.php' => '', 'composer.json' => '{}'], 'my 50% Shop');

        $answer = $this->init([$root, '--listen=8123', '-n']);

        self::assertSame(0, $answer->status, $answer->errors);
        $text = [];
        foreach (self::FILES as $file) {
            self::assertStringContainsString("written:   $file", $answer->output);
            $text[$file] = (string) file_get_contents("$root/$file");
            self::assertStringStartsWith('#', $text[$file]);
        }
        self::assertStringContainsString("env \"APP_BASE_PATH=$root\";", $text['deploy/nginx.conf']);
        self::assertStringContainsString("user www-data;\n", $text['deploy/nginx.conf']);
        self::assertStringNotContainsString('OF_THE_CALLER', $text['deploy/nginx.conf']);
        self::assertStringContainsString('--listen=127.0.0.1:8123 --mode=worker -- "', $text['deploy/howdah.service']);
        self::assertStringContainsString('my 50%% Shop"', $text['deploy/howdah.service']);
        $reload = '/^ExecReload=\S+ reload --no-ansi --pid=\$\{MAINPID\}$/m';
        self::assertMatchesRegularExpression($reload, $text['deploy/howdah.service']);
        // systemd replaces $NAME where it is a word of its own, ${NAME} everywhere (systemd.service(5)).
        $packaged = (string) file_get_contents(dirname(__DIR__, 2) . '/packaging/debian/howdah@.service');
        foreach ([$text['deploy/howdah.service'], $packaged] as $unit) {
            self::assertMatchesRegularExpression('/^Exec/m', $unit);
            self::assertDoesNotMatchRegularExpression('/^Exec.*\S\$\w/m', $unit);
        }
        self::assertStringContainsString('"--mode=worker"]', $text['Dockerfile']);
        self::assertStringContainsString('chown -R www-data:www-data /app/storage /app/bootstrap/cache', $text['Dockerfile']);
        self::assertStringContainsString("\n    restart: unless-stopped\n", $text['compose.yaml']);
        self::assertStringContainsString('- storage:/app/storage', $text['compose.yaml']);
        self::assertStringContainsString("\n.env\n", $text['.dockerignore']);
        self::assertStringContainsString("\nbootstrap/cache/config.php\n", $text['.dockerignore'], 'it has what is in .env');
        self::assertStringNotContainsString('Capabilities', $text['deploy/howdah.service']);
        // A cache of other code than that of the image would be worse than none.
        self::assertStringNotContainsString('bootstrap', $text['compose.yaml']);
    }

    /** @return iterable<string, array{array<string, string>, list<string>}> */
    public static function projects(): iterable
    {
        $symfony = ['bin/console' => '', 'config/bundles.php' => '', 'public/index.php' => ''];
        yield 'Symfony' => [$symfony, []];
        yield 'WordPress' => [['wp-load.php' => '', 'wp-includes/a.php' => '', 'index.php' => ''], []];
        yield 'Drupal' => [['web/core/lib/Drupal.php' => '', 'web/index.php' => ''], []];
        yield 'plain' => [['htdocs/index.php' => ''], ['--docroot=htdocs', '--listen=unix:/run/$shop.sock']];
        yield 'a worker script' => [['public/index.php' => '', 'run.php' => ''], ['--worker-script=run.php']];
    }

    /**
     * @param array<string, string> $files
     * @param list<string>          $options
     */
    #[DataProvider('projects')]
    public function test_who_reads_the_files_takes_them(array $files, array $options): void
    {
        $root = $this->project($files);

        $answer = $this->init([$root, ...$options, '-n']);

        self::assertSame(0, $answer->status, $answer->errors);
        $file = "$root/deploy/nginx.conf";
        // An nginx without the module.
        $lines = ['/^load_module.*$/m', '/^\s*howdah_.*$/m', '/^pid .*$/m', '/^\s*listen .*$/m'];
        $text = preg_replace($lines, '', (string) file_get_contents($file));
        $text = str_replace('map $howdah_file ', 'map $uri ', (string) $text);
        file_put_contents($file, "pid $root/pid;\n$text");
        $nginx = Program::run(['nginx', '-t', '-q', '-p', $root, '-e', 'stderr', '-c', $file]);
        self::assertSame(0, $nginx->status, $nginx->errors);
        $one = '(?:FROM|USER|STOPSIGNAL) \S+|(?:COPY|RUN) .+|ENV \w+=\S+|EXPOSE \d+|(?:CMD|ENTRYPOINT) \[.+\]';
        self::assertLinesMatch("/^(?:#.*|$one|)$/", "$root/Dockerfile");
        self::assertLinesMatch('/^(?:#.*|\[\w+\]|\w+=.*|)$/', "$root/deploy/howdah.service");
        self::assertLinesMatch('/^(?: *#.*|(?: {2})*(?:[\w-]+:(?: .+)?|- .+)|)$/', "$root/compose.yaml");
        self::assertStringNotContainsString($root, (string) file_get_contents("$root/Dockerfile"));
        self::assertSame(isset($files['index.php']), is_file("$root/deploy/.htaccess"), 'nobody reads it from outside');
        $isSymfony = isset($files['bin/console']);
        $ignored = file("$root/.dockerignore", FILE_IGNORE_NEW_LINES) ?: [];
        self::assertSame(!$isSymfony, in_array('.env', $ignored, true), 'Symfony does not boot without it');
        self::assertContains('auth.json', $ignored);
        $compose = (string) file_get_contents("$root/compose.yaml");
        self::assertSame(str_contains($compose, 'read_only'), str_contains($compose, '/var/lib/php/sessions'));
    }

    /** What the link leads to is one release. */
    public function test_a_release_behind_a_link_is_served_by_the_link(): void
    {
        $release = $this->project(['index.php' => '']);
        symlink($release, "$release/current");

        $this->init(["$release/current", '--listen=127.0.0.1:80', '-n']);

        $unit = (string) file_get_contents("$release/deploy/howdah.service");
        self::assertStringContainsString("WorkingDirectory=$release/current\n", $unit);
        self::assertStringContainsString('AmbientCapabilities=CAP_NET_BIND_SERVICE', $unit);
        self::assertStringNotContainsString('system/current.service', $unit);
    }

    public function test_a_file_that_is_there_is_not_replaced_without_a_question(): void
    {
        $root = $this->project(['index.php' => '', 'Dockerfile' => 'mine']);

        $answer = $this->init([$root, '-n']);
        self::assertStringContainsString('kept:      Dockerfile', $answer->output);
        self::assertSame('mine', file_get_contents("$root/Dockerfile"));
        self::assertStringContainsString('as it was: compose.yaml', $this->init([$root, '-n'])->output);

        self::assertStringContainsString('kept:      Dockerfile', $this->init([$root], "no\nno\nno\n")->output);
        self::assertSame('mine', file_get_contents("$root/Dockerfile"));
        self::assertStringContainsString('replaced:  Dockerfile', $this->init([$root], "yes\nyes\nyes\n")->output);
        self::assertStringContainsString('FROM debian:', (string) file_get_contents("$root/Dockerfile"));
    }

    public function test_a_certificate_is_written_into_the_files_unless_it_is_of_this_machine_alone(): void
    {
        $pem = Issuer::server(['shop.test'], 90, Issuer::authority('A test', [], 90));
        $root = $this->project(['index.php' => '', 'site.pem' => $pem]);

        $given = $this->init([$root, '-n', '--listen=443', "--tls-certificate=$root/site.pem", "--tls-key=$root/site.pem"]);
        $local = $this->init([$root, '-n', '--tls']);

        self::assertSame(0, $given->status, $given->errors);
        $nginx = (string) file_get_contents("$root/deploy/nginx.conf");
        self::assertMatchesRegularExpression('/^ +listen 127\.0\.0\.1:443 ssl/m', $nginx);
        self::assertStringContainsString("ssl_certificate_key \"$root/site.pem\";", $nginx);
        $unit = (string) file_get_contents("$root/deploy/howdah.service");
        self::assertStringContainsString(" --tls-certificate=$root/site.pem --tls-key=$root/site.pem -- ", $unit);
        self::assertStringNotContainsString('--tls', (string) file_get_contents("$root/Dockerfile"));
        self::assertSame(1, $local->status);
        self::assertStringContainsString('--tls is for this machine alone: give --tls-certificate', $local->errors);
    }

    public function test_what_cannot_be_is_refused_with_a_way_out(): void
    {
        $nothing = $this->init([$this->project([])]);
        self::assertStringContainsString('there is nothing to serve', $nothing->errors);
        $blocked = $this->project(['index.php' => '', 'deploy' => 'a file']);
        $answer = $this->init([$blocked, '-n']);
        self::assertStringContainsString("cannot write $blocked/deploy/nginx.conf: make its folder writable", $answer->errors);
        self::assertSame([1, 1], [$nothing->status, $answer->status]);
    }

    public function test_a_folder_s_name_adds_no_line_to_a_file(): void
    {
        foreach (["a\nExecStartPre=b", "a\rb", 'a\\', "a\xff"] as $name) {
            $root = $this->project(['index.php' => ''], $name);
            symlink($root, dirname($root) . '/link');

            foreach ([$root, dirname($root) . '/link'] as $path) {
                $answer = $this->init([$path, '-n']);
                self::assertStringContainsString('cannot be written into a unit of systemd', $answer->errors);
                self::assertFileDoesNotExist("$root/deploy/howdah.service");
            }
        }
    }

    public function test_a_line_for_a_shell_is_quoted(): void
    {
        $root = $this->project(['index.php' => ''], 'a; $(b) "c" \'');

        self::assertSame(0, $this->init([$root, '-n'])->status);

        $text = (string) file_get_contents("$root/deploy/nginx.conf");
        preg_match('/-c (.*) {4}serves,/', $text, $match);
        $word = $match[1] ?? '';
        self::assertSame("$root/deploy/nginx.conf", Program::run(['sh', '-c', "printf %s $word"])->output);
    }

    /** Those who read these files end at the first line that has another form. */
    private static function assertLinesMatch(string $form, string $file): void
    {
        foreach (file($file, FILE_IGNORE_NEW_LINES) ?: [] as $line) {
            self::assertMatchesRegularExpression($form, $line, $file);
        }
    }

    /** @param list<string> $arguments */
    private function init(array $arguments, string $input = ''): Program
    {
        $root = $this->installation(['howdah-run' => $this->probe([]), 'ngx_http_howdah_module.so' => 'a module']);
        $typed = "$root/typed";
        file_put_contents($typed, $input);
        $command = [PHP_BINARY, "$root/bin/howdah", '--no-ansi', 'init', ...$arguments];
        $environment = 'exec env OF_THE_CALLER=1 "$@" <' . escapeshellarg($typed);

        return Program::run(['sh', '-c', $environment, 'sh', ...$command]);
    }
}
