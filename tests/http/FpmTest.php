<?php

declare(strict_types=1);

namespace Howdah\HttpTests;

use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\TestWith;

/** What scripts find of php-fpm when its settings are changed for the whole server: tests/differential compares the rest. */
#[Group('other')]
final class FpmTest extends HttpTestCase
{
    private const SCRIPT = <<<'PHP'
        <?php

        declare(strict_types=1);

        $answer = static function (): void {
            if (isset($_GET['fail'])) {
                exit(255);
            }
            if (isset($_GET['end'])) {
                register_shutdown_function(static function (): void {
                    echo getcwd();
                });

                return;
            }
            error_log('said about ' . $_SERVER['REQUEST_URI']);
            exec(escapeshellarg(PHP_BINARY) . ' -r ' . escapeshellarg('echo PHP_VERSION, " ", PHP_SAPI;'), $child);
            echo json_encode([
                'self' => $_SERVER['PHP_SELF'],
                'script' => [$_SERVER['SCRIPT_NAME'], $_SERVER['SCRIPT_FILENAME'], $_SERVER['PATH_INFO'] ?? null],
                'uri' => $_SERVER['DOCUMENT_URI'],
                'fix' => ini_get('cgi.fix_pathinfo'),
                'user' => [getenv('USER'), getenv('HOME'), getenv('HOME', true), getenv()['HOME'] ?? null],
                'binary' => $child,
                'version' => PHP_VERSION,
            ], JSON_THROW_ON_ERROR | JSON_UNESCAPED_SLASHES);
        };
        if (!isset($_SERVER['FRANKENPHP_WORKER']) && PHP_SAPI === 'fpm-fcgi' && !defined('IS_WORKER')) {
            $answer();

            return;
        }
        while (frankenphp_handle_request($answer)) {
        }
        PHP;

    private string $folder;

    protected function setUp(): void
    {
        $this->folder = sys_get_temp_dir() . '/howdah-fpm-' . bin2hex(random_bytes(6));
        mkdir("$this->folder/public/below", recursive: true);
        file_put_contents("$this->folder/public/index.php", self::SCRIPT);
        file_put_contents("$this->folder/public/below/page.php", self::SCRIPT);
        file_put_contents("$this->folder/public/below/picture.jpg", self::SCRIPT);
        file_put_contents(
            "$this->folder/worker.php",
            "<?php\n\ndeclare(strict_types=1);\n\ndefine('IS_WORKER', true);\nrequire __DIR__ . '/public/index.php';\n",
        );
        exec('chmod -R a+rX ' . escapeshellarg($this->folder));
    }

    protected function tearDown(): void
    {
        parent::tearDown();
        exec('rm -rf ' . escapeshellarg($this->folder));
    }

    /** @return list<string> */
    private function mode(string $mode): array
    {
        return ['--workers=1', $mode === 'worker' ? "--worker-script=$this->folder/worker.php" : '--mode=classic'];
    }

    #[DataProvider('modes')]
    public function test_a_server_with_other_settings_and_another_user(string $mode): void
    {
        $isRoot = posix_geteuid() === 0;
        $own = $isRoot ? ['--user=www-data'] : [];
        $settings = [
            '--ini=cgi.fix_pathinfo=0',
            '--ini=fastcgi.logging=0',
            '--ini=log_errors=1',
            '--ini=fastcgi.error_header="X-Failed: certainly"',
        ];
        $nginx = $this->nginx([...$this->mode($mode), ...$settings, ...$own]);

        $told = $nginx->client->get('/index.php/a/b')->json();
        $below = $nginx->client->get('/below/page.php/a/b')->status;
        $end = $nginx->client->get('/index.php?end')->body;
        $failed = $nginx->client->get('/index.php?fail')->header('X-Failed');
        $nginx->stop();

        $user = posix_getpwuid($isRoot ? (posix_getpwnam('www-data') ?: self::fail('no www-data'))['uid'] : posix_geteuid());
        assert($user !== false);
        self::assertSame([$user['name'], $user['dir'], $user['dir'], $user['dir']], $told['user']);
        self::assertSame([PHP_VERSION . ' cli'], $told['binary'], 'PHP_BINARY runs code');
        self::assertSame('0', $told['fix']);
        self::assertSame('/a/b', $told['self']);
        self::assertSame([404, 'certainly'], [$below, $failed]);
        self::assertSame($mode === 'worker' ? $this->folder : '/', $end, 'in worker mode the script goes on');
        self::assertStringNotContainsString('said about', $nginx->log());
    }

    /** As php-fpm does for a location that passes all of the path as the script: Joomla, MediaWiki. */
    public function test_a_path_that_goes_on_below_a_script_is_path_info(): void
    {
        $nginx = $this->nginx($this->mode('classic'));
        try {
            $told = $nginx->client->get('/below/page.php/a/b')->json();
            $slash = $nginx->client->get('/below/page.php/')->json();
            $statuses = array_map(static fn (string $path): int => $nginx->client->get($path)->status, [
                '/below/picture.jpg/x.php',
                '/below/page.php',
                '/below/missing.php/a',
                '/below/missing/page.php',
            ]);
            $log = $nginx->log();
        } finally {
            $nginx->stop();
        }

        $file = "$this->folder/public/below/page.php";
        self::assertSame([['/below/page.php', $file, '/a/b'], '/below/page.php/a/b'], [$told['script'], $told['self']], $log);
        self::assertSame([['/below/page.php', $file, '/'], '/below/page.php/'], [$slash['script'], $slash['self']], $log);
        self::assertSame([403, 200, 404, 404], $statuses, $log);
        self::assertStringContainsString('its name does not end in .php or .phar', $log);
        self::assertStringContainsString('said about /below/page.php/a/b', $log);
    }

    #[DataProvider('modes')]
    public function test_what_follows_the_script_is_path_info(string $mode): void
    {
        $paths = ['/index.php/en', '/index.php/', '/index.php', '/', '/en/index.php/x', '/index.phpx'];
        $told = $this->told($this->mode($mode), ...$paths);

        $file = "$this->folder/public/index.php";
        $front = [['/index.php', $file, null], '/index.php', '/index.php'];
        self::assertSame([
            '/index.php/en' => [['/index.php', $file, '/en'], '/index.php/en', '/index.php/en'],
            '/index.php/' => [['/index.php', $file, '/'], '/index.php/', '/index.php/'],
            '/index.php' => $front,
            '/' => $front,
            '/en/index.php/x' => $front,
            '/index.phpx' => $front,
        ], $told);
    }

    /** A worker script that has a name of its own below the document root is what its name names, beside index.php or without it. */
    #[TestWith([true], 'beside index.php')]
    #[TestWith([false], 'alone')]
    public function test_a_worker_script_of_another_name_is_named_as_the_client_names_it(bool $hasIndex): void
    {
        $file = "$this->folder/public/w.php";
        $index = "$this->folder/public/index.php";
        file_put_contents($file, "<?php\n\ndefine('IS_WORKER', true);\nrequire __DIR__ . '/below/page.php';\n");
        if (!$hasIndex) {
            unlink($index);
        }

        $told = $this->told(['--workers=1', "--worker-script=$file"], '/w.php/en', '/w.php', '/w.phpx', '/index.php/en');

        $named = [['/w.php', $file, null], '/w.php', '/w.php'];
        $other = $hasIndex ? [['/index.php', $index, null], '/index.php', '/index.php'] : $named;
        self::assertSame([
            '/w.php/en' => [['/w.php', $file, '/en'], '/w.php/en', '/w.php/en'],
            '/w.php' => $named,
            '/w.phpx' => $other,
            '/index.php/en' => $hasIndex ? [['/index.php', $index, '/en'], '/index.php/en', '/index.php/en'] : $other,
        ], $told);
    }

    /**
     * @param  list<string> $options
     * @return array<string, array{mixed, mixed, mixed}> by path: script with its path info, PHP_SELF, DOCUMENT_URI
     */
    private function told(array $options, string ...$paths): array
    {
        $nginx = $this->nginx($options);
        $told = [];
        try {
            foreach ($paths as $path) {
                $answer = $nginx->client->get($path);
                self::assertSame(200, $answer->status, $path);
                $told[$path] = array_map(static fn (string $name): mixed => $answer->json()[$name], ['script', 'self', 'uri']);
            }
        } finally {
            $nginx->stop();
        }

        return $told;
    }

    /** @param list<string> $options */
    private function nginx(array $options): Nginx
    {
        mkdir("$this->folder/nginx");
        $location = 'location ^~ /below/ { howdah_pass classic $document_root$fastcgi_script_name; }';

        return (new Nginx("$this->folder/nginx", $this->folder, $options, $location))->awaitReady();
    }
}
