<?php

declare(strict_types=1);

namespace Howdah\Cli\Tests;

use PHPUnit\Framework\Attributes\DataProvider;

/** Which file or script a request reaches: the configuration and the module, in an nginx without the command (RoutingNginx). */
final class RoutingTest extends CliTestCase
{
    /** Says its name, or boots and works. */
    private const SOURCE = "<?php /* source */ try { while (frankenphp_handle_request(static fn (): int => print 'work')); }"
        . " catch (Throwable) { echo 'run ', \$_SERVER['SCRIPT_FILENAME']; }";
    private const FILES = [
        'style.css' => 'css',
        'index.php' => self::SOURCE,
        'script.php' => self::SOURCE,
        'worker.php' => self::SOURCE,
        'sub/index.php' => self::SOURCE,
        'scripts/script.php' => self::SOURCE,
        'scripts/file.txt' => 'text',
        'backup.php.bak' => self::SOURCE,
        'backup.php~' => self::SOURCE,
        'UPPER.PHP' => self::SOURCE,
        'view.phtml' => self::SOURCE,
        'folder.php/file.css' => 'css in an oddly named folder',
        'frankenphp-worker.php' => self::SOURCE,
        'scripts/boot.php' => self::SOURCE,
        'composer.json' => '{"extra": {"howdah": {"worker": "scripts/boot.php"}}}',
        'vendor/acme/runner.php' => self::SOURCE,
        '.env' => 'secret',
        '.git/config' => 'secret',
        '.git/hook.php' => self::SOURCE,
        '.well-known/security.txt' => 'contact',
    ];

    public function test_classic_mode_runs_scripts_and_gives_the_rest_to_the_front_controller(): void
    {
        $this->assertAnswers('--mode=classic', [
            '/style.css' => [200, 'css'],
            '/' => [200, 'run ROOT/index.php'],
            '/script.php?a=1' => [200, 'run ROOT/script.php'],
            '/script.php/a/b.css' => [200, 'run ROOT/script.php'],
            '/script%2ephp' => [200, 'run ROOT/script.php'],
            '/sub/' => [200, 'run ROOT/sub/index.php'],
            '/orders/7?x=y' => [200, 'run ROOT/index.php'],
            '/missing.php' => [200, 'run ROOT/index.php'],
            '/backup.php.bak' => [403, null],
            '/backup.php~' => [403, null],
            '/UPPER.PHP' => [403, null],
            '/view.phtml' => [403, null],
            '/folder.php/file.css' => [200, 'css in an oddly named folder'],
            '/folder.php/' => [200, 'run ROOT/index.php'],
            '/.env' => [403, null],
            '/sub/../.env' => [403, null],
            '/.git/config' => [403, null],
            '/.well-known/security.txt' => [200, 'contact'],
            '/../.env' => [400, null],
        ]);
    }

    public function test_without_a_front_controller_what_does_not_exist_is_not_found(): void
    {
        $this->assertAnswers('--mode=classic --docroot=scripts', [
            '/script.php' => [200, 'run ROOT/scripts/script.php'],
            '/file.txt' => [200, 'text'],
            '/orders/7' => [404, null],
            '/missing.php' => [404, null],
            '/missing.php/script.php' => [404, null],
        ]);
    }

    public function test_worker_mode_gives_all_but_files_to_the_worker_script(): void
    {
        $this->assertAnswers('--worker-script=worker.php', [
            '/style.css' => [200, 'css'],
            '/folder.php/file.css' => [200, 'css in an oddly named folder'],
            ...array_fill_keys(['/.env', '/UPPER.PHP', '/backup.php.bak', '/backup.php~', '/view.phtml'], [403, null]),
            ...array_fill_keys([
                '/', '/orders/7', '/missing.php', '/missing.php/script.php', '/sub/', '/sub', '/folder.php/x', '/folder.php/',
            ], [200, 'work']),
        ]);
    }

    public function test_php_files_beside_the_worker_script_run_by_themselves(): void
    {
        $this->assertAnswers('--worker-script=worker.php', [
            '/script.php?a=1' => [200, 'run ROOT/script.php'],
            '/script.php/' => [200, 'run ROOT/script.php'],
            '/script.php/a/b.css' => [200, 'run ROOT/script.php'],
            '/script%2ephp' => [200, 'run ROOT/script.php'],
            '/index.php' => [200, 'run ROOT/index.php'],
            '/index.php/a' => [200, 'run ROOT/index.php'],
            '/sub/index.php' => [200, 'run ROOT/sub/index.php'],
            '/.git/hook.php' => [403, null],
        ]);
    }

    public function test_the_worker_script_may_keep_them(): void
    {
        $names = ['/script.php', '/index.php', '/sub/index.php', '/worker.php'];
        $this->assertAnswers('--worker-script=worker.php --scripts=0', array_fill_keys($names, [200, 'work']));
        $this->assertAnswers('--worker-script=worker.php --concurrency=1', array_fill_keys($names, [200, 'work']));
    }

    /** @return iterable<string, array{string, string}> */
    public static function boots(): iterable
    {
        yield 'given' => ['--worker-script=worker.php', '/worker.php'];
        yield 'given, with a path behind it' => ['--worker-script=worker.php', '/worker.php/en'];
        yield 'given below the root' => ['--worker-script=sub/index.php', '/sub/index.php'];
        yield 'a link to the one that is given' => ['--worker-script=linked.php', '/linked.php'];
        yield 'what the link leads to' => ['--worker-script=linked.php', '/scripts/script.php'];
        yield 'found, but another one was given' => ['--worker-script=worker.php', '/frankenphp-worker.php'];
        yield 'named by composer.json, but another one was given' => ['--worker-script=worker.php', '/scripts/boot.php'];
        yield 'a runner of Composer\'s' => ['--worker-script=worker.php', '/vendor/acme/runner.php'];
    }

    #[DataProvider('boots')]
    public function test_what_boots_is_no_page(string $options, string $uri): void
    {
        $this->assertAnswers($options, [$uri => [200, 'work']]);
    }

    /** @return iterable<array{string}> */
    public static function awkwardNames(): iterable
    {
        yield 'quotes' => ['with space, "quotes" and \'one\''];
        yield 'variables' => ['with $host and $$ and ${uri}'];
        yield 'others' => ['back\\slash\\n semi;{}# ünïcode'];
        yield 'lines' => ["a\";\n}\rb\tc"];
    }

    #[DataProvider('awkwardNames')]
    public function test_any_folder_name_is_served(string $name): void
    {
        $answers = ['/style.css' => [200, 'css'], '/script.php' => [200, 'run ROOT/script.php']];

        $this->assertAnswers('--mode=classic', $answers, $name);
        $this->assertAnswers('--worker-script=worker.php', ['/style.css' => [200, 'css'], '/' => [200, 'work']], $name);
    }

    #[DataProvider('awkwardNames')]
    public function test_a_worker_script_that_composer_json_names_may_have_any_name(string $name): void
    {
        $named = json_encode(['extra' => ['howdah' => ['worker' => "$name.php"]]], JSON_THROW_ON_ERROR);
        $root = $this->project(['composer.json' => $named, "$name.php" => self::SOURCE, 'public/index.php' => self::SOURCE,
            'public/frankenphp-worker.php' => self::SOURCE]);
        $socket = dirname($root) . '/test.sock';
        $nginx = new RoutingNginx($this->options("--listen=unix:$socket --workers=1 --no-access-log", $root), $socket);
        try {
            self::assertSame([200, 'work'], $nginx->get('/'));
        } finally {
            $nginx->stop();
        }
    }

    public function test_a_socket_may_be_in_any_folder(): void
    {
        $root = $this->project(self::FILES, 'a; {}"\\ $host');
        $here = (string) getcwd();
        try {
            chdir($root);
            $options = $this->options('--listen=unix:test.sock --workers=1 --no-access-log', $root);
        } finally {
            chdir($here);
        }
        $nginx = new RoutingNginx($options, "$root/test.sock");
        try {
            self::assertSame([200, 'css'], $nginx->get('/style.css'));
        } finally {
            $nginx->stop();
        }
    }

    /** @param array<string, array{int, string|null}> $answers status and body (null: not the source) by request */
    private function assertAnswers(string $options, array $answers, string $name = 'project'): void
    {
        $root = $this->project(self::FILES, $name);
        symlink('scripts/script.php', "$root/linked.php");
        $socket = dirname($root) . '/test.sock';
        $options = $this->options("--listen=unix:$socket --workers=1 --no-access-log $options", $root);
        $nginx = new RoutingNginx($options, $socket);
        try {
            foreach ($answers as $uri => [$status, $body]) {
                [$gotStatus, $gotBody] = $nginx->get($uri);
                self::assertSame($status, $gotStatus, "$uri: $gotBody");
                self::assertStringNotContainsString('source', $gotBody, $uri);
                if ($body !== null) {
                    self::assertSame(str_replace('ROOT', $root, $body), $gotBody, $uri);
                }
            }
        } finally {
            $nginx->stop();
        }
    }
}
