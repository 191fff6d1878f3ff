<?php

declare(strict_types=1);

namespace Howdah\HttpTests;

use PHPUnit\Framework\Attributes\Group;

/** PHP files beside a worker script: they run as in classic mode, in realms of their own. */
#[Group('other')]
final class ScriptsBesideTest extends HttpTestCase
{
    protected const APP = __DIR__ . '/app/beside';

    protected static function options(string $mode): array
    {
        return ['--workers=1', '--concurrency=8'];
    }

    public function test_each_request_starts_from_nothing_and_the_worker_script_goes_on(): void
    {
        $client = $this->server('worker')->client;
        $health = static fn (string $method, string $body = '', ?string $info = null): array
            => ['health', 1, $method, $body, '/health.php', $info];

        self::assertSame(['worker', 1, 'GET'], $client->get('/')->json());
        self::assertSame($health('GET'), $client->get('/health.php')->json());
        self::assertSame($health('GET', '', '/a/b.css'), $client->get('/health.php/a/b.css?x=1')->json());
        self::assertSame($health('POST', 'a=1'), $client->post('/health.php', 'a=1')->json());
        self::assertSame($health('PUT', 'b'), $client->post('/health.php', 'b', [CURLOPT_CUSTOMREQUEST => 'PUT'])->json());
        self::assertSame('index.php itself', $client->get('/index.php')->body);
        self::assertSame(['worker', 2, 'PUT'], $client->post('/', 'b', [CURLOPT_CUSTOMREQUEST => 'PUT'])->json());
        self::assertSame(['worker', 3, 'GET'], $client->get('/missing.php')->json());
    }

    /** It would boot in the place of a page, once for each request. */
    public function test_the_worker_script_is_no_page(): void
    {
        $client = $this->server('worker')->client;

        foreach (['/frankenphp-worker.php', '/frankenphp-worker.php/en', '/./frankenphp%2dworker.php'] as $uri) {
            self::assertSame('worker', $client->get($uri)->json()[0], $uri);
        }
    }

    /** Neither by another name: a symbolic link's, a hard link's; nor is what would boot another day. */
    public function test_what_boots_is_no_page_by_whatever_name(): void
    {
        $folder = sys_get_temp_dir() . '/howdah-beside-' . bin2hex(random_bytes(6));
        mkdir($folder);
        try {
            foreach (['frankenphp-worker', 'other'] as $name) {
                copy(self::APP . '/public/frankenphp-worker.php', "$folder/$name.php");
            }
            file_put_contents("$folder/plain.php", '<?php echo json_encode(["page"]);');
            foreach (['worker' => 'frankenphp-worker', 'second' => 'other', 'page' => 'plain'] as $link => $name) {
                symlink("$name.php", "$folder/$link.php");
                link("$folder/$name.php", "$folder/twin-of-$link.php");
            }
            $options = ['--docroot=' . $folder, '--worker-script=other.php'];
            $client = $this->keep(Server::serving($folder, ...self::options('worker'), ...$options))->client;

            foreach (['worker', 'second', 'page'] as $link) {
                $answers = $link === 'page' ? 'page' : 'worker';
                self::assertSame($answers, $client->get("/$link.php/info?x=1")->json()[0], $link);
                self::assertSame($answers, $client->get("/twin-of-$link.php")->json()[0], "a hard link, $link");
            }
        } finally {
            exec('rm -rf ' . escapeshellarg($folder));
        }
    }

    public function test_a_quarter_of_the_realms_run_them_and_the_worker_script_has_all_of_its_own(): void
    {
        $server = $this->ownServer('worker');
        $door = new Door();
        $held = array_map(fn (): Http1 => (new Http1($server->port))->get("/health.php?at={$door->path}"), range(1, 3));
        $door->await(2);

        self::assertSame('worker', $server->client->get('/')->json()[0]);
        self::assertSame(2, $door->count(), 'the third waits for a realm');
        $door->open();

        foreach ($held as $client) {
            self::assertSame(200, $client->read()?->status, $server->errors());
        }
    }
}
