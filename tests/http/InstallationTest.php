<?php

declare(strict_types=1);

namespace Howdah\HttpTests;

/** What `make install` copies works by itself, also for a user who may write nowhere but in the temporary folder. */
final class InstallationTest extends HttpTestCase
{
    private static string $root;

    public static function setUpBeforeClass(): void
    {
        self::$root = sys_get_temp_dir() . '/howdah-install-' . bin2hex(random_bytes(6));
        $make = 'make --no-print-directory -C ' . escapeshellarg(dirname(__DIR__, 2));
        exec("$make install DESTDIR=" . self::$root . ' PREFIX=/opt/howdah 2>&1', $lines, $status);
        self::assertSame(0, $status, implode("\n", $lines));
        exec('cp -R ' . escapeshellarg(self::APP) . ' ' . escapeshellarg(__DIR__ . '/door.php') . ' ' . self::$root);
    }

    public static function tearDownAfterClass(): void
    {
        exec('rm -rf ' . escapeshellarg(self::$root));
        parent::tearDownAfterClass();
    }

    public function test_an_installed_howdah_tells_its_versions(): void
    {
        exec(self::$root . '/opt/howdah/bin/howdah version 2>&1', $lines, $status);
        $text = implode("\n", $lines);

        self::assertSame(0, $status, $text);
        self::assertMatchesRegularExpression('/^Howdah +\d+\.\d+\.\d+$/m', $text);
        self::assertMatchesRegularExpression('/^nginx +1\.\d+\.\d+ \(\/.*\)$/m', $text);
        self::assertMatchesRegularExpression('/^PHP +8\.\d+\.\d+\S* \(libphp; .*\)$/m', $text);
        self::assertMatchesRegularExpression('/^opcache +8\./m', $text);
        self::assertMatchesRegularExpression('/^modes +classic, worker$/m', $text);
    }

    /** bash completes files by itself where the command has no answer: a project's path. */
    public function test_shells_find_what_they_complete_it_with(): void
    {
        $share = self::$root . '/opt/howdah/share';
        $files = ["$share/bash-completion/completions/howdah", "$share/zsh/site-functions/_howdah",
            "$share/fish/vendor_completions.d/howdah.fish"];
        foreach ($files as $file) {
            self::assertSame(0644, (int) @fileperms($file) & 0777, $file);
        }
        exec("bash -c '. $files[0] && complete -p howdah' 2>&1", $lines);
        self::assertSame(['complete -o bashdefault -o default -F _sf_howdah howdah'], $lines);
        self::assertStringStartsWith("#compdef howdah\n", (string) file_get_contents($files[1]));
        self::assertStringContainsString('|| _files', (string) file_get_contents($files[1]));
        self::assertStringEndsWith("-a '(_sf_howdah)'\n", (string) file_get_contents($files[2]));
    }

    public function test_an_installed_howdah_serves_as_an_ordinary_user(): void
    {
        $command = [self::$root . '/opt/howdah/bin/howdah'];
        if (posix_geteuid() === 0) {
            $command = ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups', '--', ...$command];
        }
        $server = $this->keep(new Server(self::$root . '/app', ['--mode=classic', '--workers=1'], $command));
        $server->awaitReady();

        self::assertSame('front page', $server->client->get('/')->body);
        self::assertStringNotContainsString('runs as root', $server->errors());
        $server->signal(SIGTERM);
        self::assertSame(0, $server->await(), $server->errors());
        self::assertSame([], $server->leftovers());
    }
}
