<?php

declare(strict_types=1);

namespace Howdah\HttpTests;

use Howdah\Tests\Clock;

/** .user.ini files: from the document root down to the script's folder, each for its requests alone. */
final class UserIniTest extends HttpTestCase
{
    private const SCRIPT = <<<'PHP'
        <?php

        usleep(20000);
        echo json_encode([ini_get('precision'), ini_get('error_prepend_string'), ini_get('realpath_cache_size')]);
        PHP;

    private string $folder;
    private Server $server;

    protected function setUp(): void
    {
        $this->folder = sys_get_temp_dir() . '/howdah-user-ini-' . bin2hex(random_bytes(6));
        foreach (['', '/a', '/a/b', '/c', '/public-too'] as $below) {
            mkdir("$this->folder/public$below", recursive: true);
            file_put_contents("$this->folder/public$below/index.php", self::SCRIPT);
        }
        $this->write('public/.user.ini', "precision = 5\nrealpath_cache_size = 1K\n");
        $this->write('public/a/.user.ini', "[PHP]\nerror_prepend_string = \"from a\"\nno.such = 1\nextension = no-such\n");
        $this->write('public/a/b/.user.ini', "precision = 7\n; the end has no newline");
        $this->server = $this->keep(Server::serving(
            $this->folder,
            '--mode=classic',
            '--workers=1',
            '--ini=precision=9',
            '--ini=user_ini.cache_ttl=1',
        ));
    }

    protected function tearDown(): void
    {
        parent::tearDown();
        exec('rm -rf ' . escapeshellarg($this->folder));
    }

    private function write(string $file, string $text): void
    {
        file_put_contents("$this->folder/$file", $text);
    }

    public function test_each_folder_has_its_settings_also_at_once(): void
    {
        // The last is a setting of the system's: a file cannot change it.
        $expected = [
            '/' => '["5","","4096K"]',
            '/a/index.php' => '["5","from a","4096K"]',
            '/a/b/index.php' => '["7","from a","4096K"]',
            '/c/index.php' => '["5","","4096K"]',
        ];
        $uris = array_merge(...array_fill(0, 20, array_keys($expected)));
        $responses = $this->server->client->all($uris);

        foreach ($responses as $number => $response) {
            self::assertSame($expected[$uris[$number]], $response->body, "$uris[$number]: {$this->server->errors()}");
        }
    }

    public function test_files_are_read_again_after_a_while(): void
    {
        self::assertSame('["7","from a","4096K"]', $this->server->client->get('/a/b/index.php')->body);
        $this->write('public/a/b/.user.ini', 'precision = 3');
        unlink("$this->folder/public/a/.user.ini");

        Clock::await(
            fn (): bool => $this->server->client->get('/a/b/index.php')->body === '["3","","4096K"]',
            'they are read again',
        );
    }

    public function test_the_administrator_s_settings_stay(): void
    {
        $this->write('php.ini', "[PATH=$this->folder/public/c]\nprecision = 4\n");
        $server = $this->keep(new Server($this->folder, ['--mode=classic', '--workers=1'], [
            'env',
            "PHP_INI_SCAN_DIR=:$this->folder",
            PHP_BINARY,
            dirname(__DIR__, 2) . '/bin/howdah',
        ]));
        $server->awaitReady();

        self::assertSame('["4","","4096K"]', $server->client->get('/c/index.php')->body, 'of php.ini, not of the file');
    }
}
