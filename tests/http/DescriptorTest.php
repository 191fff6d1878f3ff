<?php

declare(strict_types=1);

namespace Howdah\HttpTests;

use PHPUnit\Framework\Attributes\DataProvider;

/** A script opens files until it gets no more: nginx still accepts, reads its own files and answers. */
final class DescriptorTest extends HttpTestCase
{
    private const LIMIT = 512;

    private string $folder;

    protected function setUp(): void
    {
        $this->folder = sys_get_temp_dir() . '/howdah-descriptors-' . bin2hex(random_bytes(6));
        mkdir($this->folder);
        // Files are removed to tell, which takes no descriptor.
        touch("$this->folder/hoards");
        touch("$this->folder/holds");
        file_put_contents("$this->folder/file.txt", 'a file of nginx');
        file_put_contents("$this->folder/act.php", <<<'PHP'
            <?php
            function act(): void
            {
                if (!isset($_GET['hoard'])) {
                    echo 'pong';

                    return;
                }
                $files = [];
                while ($file = @fopen('/dev/null', 'r')) {
                    $files[] = $file;
                }
                $why = error_get_last()['message'] ?? '';
                chdir('/usr/share');
                unlink(__DIR__ . '/hoards');
                for ($i = 0; $i < 6000 && file_exists(__DIR__ . '/holds'); ++$i) {
                    usleep(10000);
                    clearstatcache();
                }
                echo $i < 6000 ? 'released in ' : 'nobody was served in ', getcwd(), ': ', count($files), ' ', $why;
            }
            PHP);
        file_put_contents("$this->folder/index.php", '<?php require __DIR__ . "/act.php"; act();');
        $loop = 'while (frankenphp_handle_request(act(...)));';
        file_put_contents("$this->folder/worker.php", "<?php require __DIR__ . '/act.php'; $loop");
        // Old enough for opcache, which needs no descriptor then.
        array_map(static fn (string $file): bool => touch($file, time() - 60), glob("$this->folder/*.php") ?: []);
    }

    protected function tearDown(): void
    {
        parent::tearDown();
        exec('rm -rf ' . escapeshellarg($this->folder));
    }

    #[DataProvider('modes')]
    public function test_a_script_that_takes_all_descriptors_leaves_nginx_enough(string $mode): void
    {
        $script = $mode === 'worker' ? "--worker-script=$this->folder/worker.php" : '--mode=classic';
        $howdah = [PHP_BINARY, dirname(__DIR__, 2) . '/bin/howdah'];
        $limited = ['sh', '-c', 'ulimit -n ' . self::LIMIT . '; exec "$@"', 'sh', ...$howdah];
        $server = $this->keep(new Server($this->folder, ['--workers=1', '--concurrency=4', '--warm=2', $script], $limited));
        $server->awaitReady();
        self::assertSame('pong', $server->client->get('/')->body);
        $served = [];

        $hoarder = $server->client->all(['/?hoard'], function () use ($server, &$served): void {
            clearstatcache();
            if ($served !== [] || file_exists("$this->folder/hoards")) {
                return;
            }
            // 20 connections that nginx has to accept now.
            foreach ($server->client->all([...array_fill(0, 19, '/'), '/file.txt']) as $response) {
                $served[] = $response->body;
            }
            unlink("$this->folder/holds");
        })[0];

        self::assertSame([...array_fill(0, 19, 'pong'), 'a file of nginx'], $served, $server->errors());
        self::assertMatchesRegularExpression('/^released in \/usr\/share: (\d+) .*: Too many open files$/', $hoarder->body);
        self::assertGreaterThan(self::LIMIT / 2, (int) explode(': ', $hoarder->body)[1]);
        self::assertStringContainsString('nginx goes on with its reserve of 64', $server->errors());
        self::assertSame('pong', $server->client->get('/')->body);
    }
}
