<?php

declare(strict_types=1);

namespace Howdah\HttpTests;

use Howdah\Tests\Clock;
use PHPUnit\Framework\Attributes\DataProvider;

/** `howdah serve --tls`, and with files that are given: what curl, which trusts the authority and nothing else, says of it. */
final class TlsTest extends HttpTestCase
{
    private string $folder;
    private string $data;

    protected function setUp(): void
    {
        $this->folder = sys_get_temp_dir() . '/howdah-tls-' . bin2hex(random_bytes(6));
        mkdir($this->folder);
        $this->data = "{$this->folder}/data/howdah";
        putenv("XDG_DATA_HOME={$this->folder}/data");
    }

    protected function tearDown(): void
    {
        parent::tearDown();
        putenv('XDG_DATA_HOME');
        exec('rm -rf ' . escapeshellarg($this->folder));
    }

    #[DataProvider('modes')]
    public function test_who_trusts_the_authority_is_served(string $mode): void
    {
        $server = $this->ownServer($mode, '--tls', '--live-reload');
        $client = $this->client($server);
        $trust = $this->trust();

        $answer = $client->get('/echo?a=1', $trust + [CURLOPT_HTTP_VERSION => CURL_HTTP_VERSION_2TLS])->json()['server'];
        self::assertIsArray($answer);
        self::assertSame(
            ['on', 'https', (string) $server->port, 'HTTP/2.0'],
            [$answer['HTTPS'], $answer['REQUEST_SCHEME'], $answer['SERVER_PORT'], $answer['SERVER_PROTOCOL']],
        );
        foreach (['localhost', (string) gethostname()] as $host) {
            $there = [CURLOPT_RESOLVE => ["$host:{$server->port}:127.0.0.1"], CURLOPT_URL => "https://$host:{$server->port}/"];
            self::assertSame('front page', $client->get('/', $there + $trust)->body, $host);
        }
        $other = [CURLOPT_RESOLVE => ["other.test:{$server->port}:127.0.0.1"],
            CURLOPT_URL => "https://other.test:{$server->port}/"];
        self::assertStringContainsString('no alternative certificate subject', $client->get('/', $other + $trust)->error);
        self::assertStringContainsString('unable to get local issuer', $client->get('/')->error);
        foreach ([CURL_SSLVERSION_TLSv1_2 => CURL_SSLVERSION_MAX_TLSv1_2, CURL_SSLVERSION_TLSv1_3 => 0] as $least => $most) {
            $answer = $client->get('/redirect', $trust + [CURLOPT_SSLVERSION => $least | $most]);
            self::assertSame('/elsewhere?a=1', $answer->header('location'));
        }
        $old = CURL_SSLVERSION_TLSv1_0 | CURL_SSLVERSION_MAX_TLSv1_1;
        self::assertSame(0, $client->get('/', $trust + [CURLOPT_SSLVERSION => $old])->status, 'TLS 1.1');

        self::assertStringContainsString("on https://127.0.0.1:{$server->port} in ", $server->errors());
        self::assertStringContainsString("own authority: {$this->data}/authority.crt (new", $server->errors());
        self::assertStringContainsString('update-ca-certificates', $server->errors());
        self::assertStringContainsString('certutil', $server->errors());
        $status = Howdah::run(['status', '--pid=' . $server->pid]);
        self::assertStringContainsString("https://127.0.0.1:{$server->port}", $status->output);
    }

    /** Its workers need not read it. */
    public function test_the_key_stays_roots(): void
    {
        if (posix_geteuid() !== 0) {
            self::markTestSkipped('NOT RUN: only root can have workers of another user');
        }
        // That user may not read a checkout below a folder of root's.
        mkdir("{$this->folder}/project");
        file_put_contents("{$this->folder}/project/index.php", '<?php echo posix_getpwuid(posix_geteuid())["name"] ?? "";');
        $server = $this->keep(new Server("{$this->folder}/project", ['--tls', '--workers=1', '--user=www-data']));
        $server->awaitReady();

        self::assertSame('www-data', $this->client($server)->get('/', $this->trust())->body);
        self::assertSame(0, fileowner("{$this->data}/server-127.0.0.1.pem"));
        self::assertSame(0600, (int) fileperms("{$this->data}/server-127.0.0.1.pem") & 0777);
    }

    public function test_plain_http_on_its_port_is_led_to_https(): void
    {
        $server = $this->ownServer('classic', '--tls');

        $led = $server->client->get('/echo?a=b%20c', [CURLOPT_HTTPHEADER => ['Host: shop.test:444']]);
        self::assertSame([307, 'https://shop.test:444/echo?a=b%20c'], [$led->status, $led->header('location')]);
        $post = $server->client->post('/echo', ['a' => '1'], [
            CURLOPT_FOLLOWLOCATION => true,
            CURLOPT_POSTREDIR => CURL_REDIR_POST_ALL,
        ] + $this->trust());
        self::assertSame(['a' => '1'], $post->json()['post']);
        $nameless = $server->client->get('/x', [
            CURLOPT_HTTP_VERSION => CURL_HTTP_VERSION_1_0,
            CURLOPT_HTTPHEADER => ['Host:'],
        ]);
        self::assertSame("https://127.0.0.1:{$server->port}/x", $nameless->header('location'));
    }

    /** Each start would ask to be trusted anew. */
    public function test_commands_at_once_and_later_ones_have_the_same_authority_and_certificate(): void
    {
        $howdah = [PHP_BINARY, dirname(__DIR__, 2) . '/bin/howdah', 'config', self::APP, '--mode=classic', '--tls'];
        $files = [['file', '/dev/null', 'r'], ['file', '/dev/null', 'w'], ['file', "{$this->folder}/log", 'a']];
        mkdir($this->data, 0700, true);
        $lock = fopen("{$this->data}/lock", 'ce');
        self::assertTrue($lock !== false && flock($lock, LOCK_EX));
        $mask = umask(0);
        $processes = [proc_open($howdah, $files, $pipes), proc_open($howdah, $files, $pipes)];
        umask($mask);
        $processes = array_filter($processes, is_resource(...));
        $state = fn (): string => implode(' ', array_map(self::state(...), $processes));
        Clock::await(static fn (): bool => !str_contains($state(), 'runs'), 'both have come to the lock');
        self::assertSame('waits waits', $state(), $this->log());
        fclose($lock);
        self::assertSame([0, 0], array_map(proc_close(...), $processes), $this->log());
        self::assertSame(1, substr_count($this->log(), '(new'), $this->log());
        $before = $this->files();

        $again = Howdah::run(['config', self::APP, '--mode=classic', '--tls', '--port=9999']);
        self::assertStringNotContainsString('(new', $again->errors);
        self::assertSame($before, $this->files());

        Howdah::run(['config', self::APP, '--mode=classic', '--tls', '--host=localhost']);
        self::assertSame($before, array_intersect_key($this->files(), $before), 'another name has a certificate of its own');
        self::assertFileExists("{$this->data}/server-localhost.pem");

        self::assertSame(
            [0700, 0644, 0600, 0600],
            array_map(
                fn (string $name): int => (int) fileperms("{$this->data}/$name") & 0777,
                ['', 'authority.crt', 'authority.pem', 'server-127.0.0.1.pem'],
            ),
        );
    }

    public function test_given_files_are_served_and_a_reload_takes_new_ones(): void
    {
        $this->certificate('one', ['localhost', '127.0.0.1']);
        $this->certificate('two', ['localhost', '127.0.0.1']);
        // As certbot has them.
        symlink('one.crt', "{$this->folder}/live.crt");
        symlink('one.key', "{$this->folder}/live.key");
        $server = $this->ownServer(
            'classic',
            "--tls-certificate={$this->folder}/live.crt",
            "--tls-key={$this->folder}/live.key",
        );
        $client = $this->client($server);
        self::assertSame('front page', $client->get('/', [CURLOPT_CAINFO => "{$this->folder}/one.crt"])->body);
        self::assertDirectoryDoesNotExist($this->data);

        unlink("{$this->folder}/live.crt");
        symlink('two.crt', "{$this->folder}/live.crt");
        $refused = Howdah::run(['reload', '--pid=' . $server->pid]);
        self::assertStringContainsString('live.key is not the key of the certificate', $refused->errors);
        self::assertSame('front page', $client->get('/', [CURLOPT_CAINFO => "{$this->folder}/one.crt"])->body);

        unlink("{$this->folder}/live.key");
        symlink('two.key', "{$this->folder}/live.key");
        $reload = Howdah::run(['reload', '--pid=' . $server->pid]);
        self::assertSame([0, ''], [$reload->status, $reload->errors]);
        $server->assertNobodyWasDeaf();
        self::assertSame('front page', $client->get('/', [CURLOPT_CAINFO => "{$this->folder}/two.crt"])->body);
    }

    public function test_what_is_wrong_is_said_before_the_start_and_by_doctor(): void
    {
        $this->certificate('soon', ['shop.test'], 5);
        $files = ["--tls-certificate={$this->folder}/soon.crt", "--tls-key={$this->folder}/soon.key"];
        $server = $this->ownServer('classic', ...$files);
        self::assertStringContainsString("the certificate {$this->folder}/soon.crt expires soon, on ", $server->errors());
        self::assertStringContainsString('soon.crt is for shop.test, not for 127.0.0.1', $server->errors());

        $none = ["--tls-certificate={$this->folder}/none", "--tls-key={$this->folder}/none"];
        $serve = Howdah::run(['serve', self::APP, '--mode=classic', ...$none]);
        $doctor = Howdah::run(['doctor', self::APP, '--mode=classic', '--json', ...$none]);

        $message = "--tls-certificate={$this->folder}/none: there is no such file";
        self::assertSame(1, $serve->status);
        self::assertStringContainsString($message, $serve->errors);
        self::assertSame(1, $doctor->status);
        self::assertStringContainsString($message, stripslashes($doctor->output));
    }

    /**
     * @param  resource $process
     * @return string   waits (for a lock), runs, ended
     */
    private static function state($process): string
    {
        $status = proc_get_status($process);
        $waits = "-> FLOCK  ADVISORY  WRITE {$status['pid']} ";

        return match (true) {
            !$status['running'] => 'ended',
            str_contains((string) file_get_contents('/proc/locks'), $waits) => 'waits',
            default => 'runs',
        };
    }

    /** @param list<string> $hosts */
    private function certificate(string $name, array $hosts, int $days = 90): void
    {
        $kind = static fn (string $host): string => filter_var($host, FILTER_VALIDATE_IP) === false ? 'DNS' : 'IP';
        $names = array_map(static fn (string $host): string => "{$kind($host)}:$host", $hosts);
        $file = escapeshellarg("{$this->folder}/$name");
        exec("openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -noenc -subj /CN=$name -days $days -addext"
            . ' subjectAltName=' . implode(',', $names) . " -keyout $file.key -out $file.crt 2>&1", $lines, $status);
        self::assertSame(0, $status, implode("\n", $lines));
    }

    private function client(Server $server): Client
    {
        return new Client("https://127.0.0.1:{$server->port}");
    }

    /** @return array<int, string> */
    private function trust(): array
    {
        return [CURLOPT_CAINFO => "{$this->data}/authority.crt"];
    }

    /** @return array<string, string> */
    private function files(): array
    {
        $paths = glob("{$this->data}/*") ?: [];

        return array_combine($paths, array_map(static fn (string $path): string => (string) file_get_contents($path), $paths));
    }

    private function log(): string
    {
        return (string) file_get_contents("{$this->folder}/log");
    }
}
