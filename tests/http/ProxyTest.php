<?php

declare(strict_types=1);

namespace Howdah\HttpTests;

use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;

/** `howdah serve` behind a proxy: --trusted-proxy, and --gzip. */
#[Group('realms')]
final class ProxyTest extends HttpTestCase
{
    private string $folder;

    protected function setUp(): void
    {
        $this->folder = sys_get_temp_dir() . '/howdah-proxy-' . bin2hex(random_bytes(6));
        mkdir($this->folder);
        $code = 'echo json_encode([$_SERVER["REMOTE_ADDR"], $_SERVER["HTTPS"] ?? null, $_SERVER["REQUEST_SCHEME"],'
            . ' str_repeat("x", (int) ($_GET["more"] ?? 0))]);';
        file_put_contents("{$this->folder}/index.php", "<?php $code");
        file_put_contents("{$this->folder}/worker.php", "<?php while (frankenphp_handle_request(function () { $code })) {}");
    }

    protected function tearDown(): void
    {
        parent::tearDown();
        exec('rm -rf ' . escapeshellarg($this->folder));
    }

    #[DataProvider('modes')]
    public function test_a_client_behind_a_trusted_proxy_is_seen_by_php_and_in_the_log(string $mode): void
    {
        $server = $this->start($mode, '--trusted-proxy=127.0.0.1', '--log=combined', '--gzip');
        $forwarded = [CURLOPT_HTTPHEADER => ['X-Forwarded-For: 203.0.113.7', 'X-Forwarded-Proto: https']];

        self::assertSame(['203.0.113.7', 'on', 'https', ''], json_decode($server->client->get('/', $forwarded)->body));
        self::assertSame(['127.0.0.1', null, 'http', ''], json_decode($server->client->get('/')->body));
        $server->eventually(static fn (): bool => str_contains($server->output(), '203.0.113.7 - -'));
        $takesGzip = [CURLOPT_HTTPHEADER => ['Accept-Encoding: gzip'], CURLOPT_ENCODING => null];
        $packed = $server->client->get('/?more=5000', $takesGzip);
        self::assertSame('gzip', $packed->header('content-encoding'));
        self::assertLessThan(1000, strlen($packed->body));
        self::assertStringContainsString('xxxxx', (string) gzdecode($packed->body));
        $plain = $server->client->get('/?more=5000');
        self::assertSame([null, 5000], [$plain->header('content-encoding'), substr_count($plain->body, 'x')]);
    }

    /** A proxy that appends leaves in front what the client sent, in its line or in one of its own. */
    #[DataProvider('modes')]
    public function test_the_last_word_of_the_scheme_is_the_proxys(string $mode): void
    {
        $server = $this->start($mode, '--trusted-proxy=127.0.0.1');
        $https = ['https', 'HTTPS ', 'http, https', 'http,https', ' ,https', "http\r\nX-Forwarded-Proto: https"];
        $http = ['https, http', 'https, ', 'https ftp', 'https, ftp', 'wss', 'httpss', '', "https\r\nX-Forwarded-Proto: http",
            "https\r\nx-forwarded-proto: http, ftp"];
        $schemes = array_fill_keys($https, 'https') + array_fill_keys($http, 'http');
        foreach ($schemes as $value => $scheme) {
            $answer = (new Http1($server->port))->get('/', "X-Forwarded-Proto: $value\r\n")->read();

            $seen = ['127.0.0.1', $scheme === 'https' ? 'on' : null, $scheme, ''];
            self::assertSame($seen, json_decode((string) $answer?->body), $value);
        }
    }

    /** They agree with whatever the proxy says. */
    public function test_redirections_to_folders_name_no_scheme(): void
    {
        mkdir("{$this->folder}/sub");
        copy("{$this->folder}/index.php", "{$this->folder}/sub/index.php");
        $server = $this->start('classic', '--trusted-proxy=127.0.0.1');
        foreach (['https', 'http, https', 'https, http'] as $value) {
            $answer = (new Http1($server->port))->get('/sub', "X-Forwarded-Proto: $value\r\n")->read();

            self::assertSame([301, '/sub/'], [$answer?->status, $answer?->header('location')], $value);
        }
    }

    public function test_a_client_that_is_no_trusted_proxy_may_say_what_it_likes(): void
    {
        $server = $this->start('classic', '--trusted-proxy=10.0.0.0/8');
        $forged = [CURLOPT_HTTPHEADER => ['X-Forwarded-For: 203.0.113.7', 'X-Forwarded-Proto: https', 'Accept-Encoding: gzip']];

        $answer = $server->client->get('/?more=5000', $forged + [CURLOPT_ENCODING => null]);

        self::assertNull($answer->header('content-encoding'), 'without --gzip');
        self::assertStringStartsWith('["127.0.0.1",null,"http",', $answer->body);
    }

    private function start(string $mode, string ...$options): Server
    {
        $script = $mode === 'worker' ? "--worker-script={$this->folder}/worker.php" : '--mode=classic';

        return $this->keep(Server::serving($this->folder, '--workers=1', $script, ...array_values($options)));
    }
}
