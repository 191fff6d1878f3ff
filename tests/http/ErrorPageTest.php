<?php

declare(strict_types=1);

namespace Howdah\HttpTests;

use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;

/** What a page says of an error of PHP: all of it with `howdah serve --dev`, nothing without. */
#[Group('realms')]
final class ErrorPageTest extends HttpTestCase
{
    private const ACTS = <<<'PHP'
        <?php

        function act(): void
        {
            match (ltrim($_SERVER['REQUEST_URI'], '/')) {
                'fatal' => call_of_nothing(),
                'parse' => require __DIR__ . '/broken.php',
                'thrown' => throw new \RuntimeException('out of luck'),
                // As frameworks do that have a page of their own; whatever they print into is a buffer.
                'silent' => [ini_set('display_errors', '0'), ob_start(), header('Content-Type: a/b'), call_of_nothing()],
                'memory' => [ini_set('display_errors', '0'), ob_start(), str_repeat('x', 1 << 30)],
                'late' => [print('sent'), ob_get_level() && ob_end_flush(), flush(), call_of_nothing()],
                'chosen' => [http_response_code(404), throw new \RuntimeException('not here')],
                'own' => [http_response_code(503), print('my page'), call_of_nothing()],
                'warning' => print("[$undefined]"),
                default => print('well'),
            };
        }
        PHP;

    private string $folder;

    protected function setUp(): void
    {
        $this->folder = sys_get_temp_dir() . '/howdah-errors-' . bin2hex(random_bytes(6));
        mkdir($this->folder);
        $this->save('acts.php', self::ACTS);
        $this->save('broken.php', "<?php\n\n this is broken(");
        $this->save('index.php', "<?php\nrequire __DIR__ . '/acts.php';\nact();\n");
        $this->save('worker.php', "<?php\nrequire __DIR__ . '/acts.php';\n"
            . "is_file(__DIR__ . '/boot.php') && require 'boot.php';\nwhile (frankenphp_handle_request(act(...))) {\n}\n");
    }

    protected function tearDown(): void
    {
        parent::tearDown();
        exec('rm -rf ' . escapeshellarg($this->folder));
    }

    #[DataProvider('modes')]
    public function test_in_development_each_fatal_error_is_a_page_that_tells_it(string $mode): void
    {
        $server = $this->start($mode, '--dev');
        $line = static fn (string $file, int $number): string => "~$file.* on line (<b>)?$number\\b~s";
        $pages = [
            'fatal' => [500, 'call_of_nothing()', $line('acts\.php', 6)],
            'parse' => [500, 'syntax error', $line('broken\.php', 3)],
            'thrown' => [500, 'RuntimeException: out of luck', $line('acts\.php', 8)],
            'silent' => [500, 'PHP Fatal error:  Uncaught Error: Call to undefined function', $line('acts\.php', 10)],
            'memory' => [500, 'PHP Fatal error:  Allowed memory size of', $line('acts\.php', 11)],
            'late' => [200, 'sent', $line('acts\.php', 12)],
            'chosen' => [404, 'RuntimeException: not here', $line('acts\.php', 13)],
            'own' => [503, 'my page', $line('acts\.php', 14)],
            'warning' => [200, 'Undefined variable', $line('acts\.php', 15)],
        ];
        foreach ($pages as $act => [$status, $text, $place]) {
            $response = $server->client->get("/$act");
            self::assertSame($status, $response->status, $act);
            self::assertStringContainsString($text, $response->body, $act);
            self::assertMatchesRegularExpression($place, $response->body, $act);
            self::assertSame('well', $server->client->get('/')->body, "after $act");
        }
        self::assertSame('text/plain; charset=utf-8', $server->client->get('/silent')->header('content-type'));
        // In the terminal it is told as well, with file and line.
        self::assertMatchesRegularExpression("~PHP Fatal error:  Uncaught Error: Call to .*acts\.php:6\n~", $server->errors());
        self::assertMatchesRegularExpression('~PHP Parse error: .*broken\.php on line 3~', $server->errors());
    }

    #[DataProvider('modes')]
    public function test_otherwise_nothing_is_disclosed(string $mode): void
    {
        $server = $this->start($mode, '--ini=display_errors=0');
        foreach (['fatal', 'parse', 'thrown', 'silent', 'memory'] as $act) {
            $response = $server->client->get("/$act");
            self::assertSame([500, ''], [$response->status, $response->body], $act);
        }
        self::assertSame(['sent', 'my page', '[]'], array_map(
            static fn (string $act): string => $server->client->get("/$act")->body,
            ['late', 'own', 'warning'],
        ));
        self::assertStringContainsString('PHP Fatal error:  Uncaught RuntimeException: out of luck', $server->errors());
    }

    public function test_a_worker_script_that_does_not_boot_tells_why_in_development_only(): void
    {
        $this->save('boot.php', "<?php\nthrow new \\LogicException('no settings');\n");
        $first = 'The worker script did not start.';
        $script = "--worker-script={$this->folder}/worker.php";
        foreach (['--dev' => $first, '--ini=display_errors=0' => 'see the error log'] as $option => $text) {
            $server = $this->keep(new Server($this->folder, ['--workers=1', $script, $option]));
            $server->eventually(static fn (): bool => str_contains($server->errors(), 'NOT serving'));

            $response = $server->client->get('/');

            self::assertSame(500, $response->status);
            self::assertStringContainsString($text, $response->body);
            $error = '~^PHP Fatal error:  Uncaught LogicException: no settings in .*boot\.php~m';
            self::assertSame($text === $first ? 1 : 0, preg_match($error, $response->body), $response->body);
        }
    }

    public function test_what_a_page_tells_of_errors_is_for_this_machine_alone(): void
    {
        $result = Howdah::run(['serve', $this->folder, '--dev', '--listen=0.0.0.0:' . Server::freePort()]);

        self::assertSame(1, $result->status);
        self::assertStringContainsString('--dev shows paths and code to whoever reaches', $result->errors);
    }

    private function start(string $mode, string $option): Server
    {
        $script = $mode === 'worker' ? "--worker-script={$this->folder}/worker.php" : '--mode=classic';

        return $this->keep(Server::serving($this->folder, '--workers=1', '--ini=memory_limit=64M', $script, $option));
    }

    private function save(string $name, string $text): void
    {
        file_put_contents("{$this->folder}/$name", $text);
    }
}
