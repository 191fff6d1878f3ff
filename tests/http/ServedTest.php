<?php

declare(strict_types=1);

namespace Howdah\HttpTests;

use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;

/** What `howdah serve` sets up for an application: whose environment, whose code runs as whom, which bodies are taken. */
final class ServedTest extends HttpTestCase
{
    private const OF_THE_CONSOLE = ['SHELL_VERBOSITY', 'LINES', 'COLUMNS'];

    private string $folder;

    /** @var array<string, Server> */
    private static array $bounded = [];

    protected function setUp(): void
    {
        $this->folder = sys_get_temp_dir() . '/howdah-served-' . bin2hex(random_bytes(6));
        mkdir($this->folder, 0777);
        chmod($this->folder, 0777);
    }

    protected function tearDown(): void
    {
        parent::tearDown();
        exec('rm -rf ' . escapeshellarg($this->folder));
    }

    /** A file says when and as whom it was run: before the first request nobody has, then never root (--user). */
    public function test_a_prepended_file_that_exits_keeps_nothing_from_starting_and_runs_in_requests_only(): void
    {
        if (posix_geteuid() !== 0) {
            self::markTestSkipped('only root runs workers as another user');
        }
        $this->write('index.php', "<?php\necho 'not reached';\n");
        $code = "file_put_contents(__DIR__ . '/ran', posix_geteuid() . ' ', FILE_APPEND);\nexit('ended');\n";
        $this->write('prepended.php', "<?php\n$code");
        $user = posix_getpwnam('www-data')['uid'] ?? -1;

        $server = $this->keep(Server::serving(
            $this->folder,
            '--mode=classic',
            '--workers=1',
            '--user=www-data',
            "--ini=auto_prepend_file={$this->folder}/prepended.php",
            "--ini=auto_append_file={$this->folder}/prepended.php",
        ));
        self::assertFileDoesNotExist("{$this->folder}/ran");
        self::assertSame('ended', $server->client->get('/')->body);
        self::assertSame("$user ", file_get_contents("{$this->folder}/ran"));
        $doctor = Howdah::run(['doctor', $this->folder, "--ini=auto_prepend_file={$this->folder}/prepended.php"]);
        self::assertStringNotContainsString('said nothing', $doctor->output . $doctor->errors);
        self::assertSame("$user ", file_get_contents("{$this->folder}/ran"), 'doctor ran it');
    }

    /** It is not there, where it may be looked for. */
    #[Group('other')]
    public function test_a_program_that_is_missing_is_not_found_by_another_users_workers(): void
    {
        if (posix_geteuid() !== 0) {
            self::markTestSkipped('only root runs workers as another user');
        }
        $this->write('index.php', "<?php\nexec('no-such-program 2>&1', \$said, \$status);\n"
            . "echo json_encode([\$status, \$said, getenv('HOME'), getenv('LOGNAME')]);\n");
        mkdir("{$this->folder}/own", 0700);
        $path = "PATH={$this->folder}/own:" . getenv('PATH');
        $howdah = [PHP_BINARY, dirname(__DIR__, 2) . '/bin/howdah'];
        $command = ['env', $path, 'HOME=/root', 'LOGNAME=root', ...$howdah];

        $server = $this->keep(new Server($this->folder, ['--workers=1', '--user=www-data'], $command));
        $server->awaitReady();

        self::assertSame(
            [127, ['sh: 1: no-such-program: not found'], posix_getpwnam('www-data')['dir'] ?? '', false],
            $server->client->get('/')->json(),
        );
    }

    /** The command asks PHP with a script of its own, which lies elsewhere and calls what requests may not. */
    public function test_settings_that_bind_requests_do_not_bind_the_command(): void
    {
        $this->write('index.php', "<?php\necho ini_get('open_basedir'), '|', ini_get('disable_functions');\n");
        $settings = ["--ini=open_basedir={$this->folder}", '--ini=disable_functions=phpversion,ini_get_all'];

        $server = $this->keep(Server::serving($this->folder, '--workers=1', ...$settings));
        self::assertSame("{$this->folder}|phpversion,ini_get_all", $server->client->get('/')->body);
        $doctor = Howdah::run(['doctor', $this->folder, ...$settings]);
        self::assertStringNotContainsString('does not start', $doctor->output . $doctor->errors);
    }

    #[DataProvider('modes')]
    #[Group('other')]
    public function test_a_form_that_php_would_refuse_is_refused_before_it_is_sent(string $mode): void
    {
        $client = $this->bounded($mode)->client;
        $large = 'a=' . str_repeat('x', 110_000);

        self::assertSame(200, $client->post('/echo', 'a=' . str_repeat('x', 90_000))->status);
        foreach (
            [
                'Content-Type: application/x-www-form-urlencoded',
                'Content-Type: Application/X-WWW-Form-URLencoded; charset=utf-8',
                'Content-Type: multipart/form-data; boundary=x',
            ] as $type
        ) {
            $inChunks = ['Expect:', 'Transfer-Encoding: chunked', $type];
            self::assertSame(413, $client->post('/echo', $large, [CURLOPT_HTTPHEADER => ['Expect:', $type]])->status, $type);
            self::assertSame(413, $client->post('/echo', $large, [CURLOPT_HTTPHEADER => $inChunks])->status, "$type, chunks");
        }
        $errors = $this->bounded($mode)->errors();
        self::assertSame(6, substr_count($errors, 'too large form: 110002 bytes, and howdah_max_form is 102400'), $errors);
        self::assertStringNotContainsString('buffered to a temporary file', $errors);
    }

    /** PHP's post_max_size is about forms. */
    #[DataProvider('modes')]
    #[Group('other')]
    public function test_any_other_body_is_taken_whole_up_to_a_limit_of_its_own(string $mode): void
    {
        $client = $this->bounded($mode)->client;
        $body = str_repeat('x', 300_000);
        $form = 'Content-Type: application/x-www-form-urlencoded';
        $cases = [
            'PUT' => ['PUT', 'Content-Type: image/png'],
            'PUT of what is called a form' => ['PUT', $form],
            'PATCH' => ['PATCH', 'Content-Type: application/merge-patch+json'],
            'POST of JSON' => ['POST', 'Content-Type: application/json'],
            'POST of what is no form' => ['POST', 'Content-Type: application/x-www-form-urlencoded-not'],
            'POST without a type' => ['POST', 'Content-Type:'],
            'PROPFIND' => ['PROPFIND', 'Content-Type: text/xml'],
        ];
        foreach ($cases as $name => [$method, $type]) {
            foreach (['length' => 'Expect:', 'chunks' => 'Transfer-Encoding: chunked'] as $how => $header) {
                $options = [CURLOPT_CUSTOMREQUEST => $method, CURLOPT_HTTPHEADER => ['Expect:', $header, $type]];
                $taken = $client->post('/input', $body, $options);
                $refused = $client->post('/input', str_repeat('x', 500_000), $options);

                self::assertSame([200, sha1($body)], [$taken->status, $taken->body], "$name, $how");
                self::assertSame(413, $refused->status, "$name, $how");
            }
        }
    }

    #[DataProvider('modes')]
    public function test_the_limits_are_said_at_the_start(string $mode): void
    {
        self::assertStringContainsString(
            ' requests at once, bodies up to 390.6 KB, forms up to 100 KB; Ctrl-C stops',
            $this->bounded($mode)->errors(),
        );
    }

    #[DataProvider('modes')]
    public function test_an_application_does_not_see_the_console(string $mode): void
    {
        $server = $this->ownServer($mode);

        self::assertSame('"kept"', $server->client->get('/environment?name=FROM_OUTSIDE')->body);
        foreach (self::OF_THE_CONSOLE as $name) {
            self::assertSame(json_encode(getenv($name)), $server->client->get("/environment?name=$name")->body, $name);
        }
    }

    /** One for each mode, of all tests: forms of 100 KB, other bodies of 400,000 bytes. */
    private function bounded(string $mode): Server
    {
        return self::$bounded[$mode] ??= Server::serving(
            self::APP,
            ...[...self::options($mode), '--ini=post_max_size=100K', '--max-body=400000'],
        );
    }

    public static function tearDownAfterClass(): void
    {
        array_map(static fn (Server $server) => $server->stop(), self::$bounded);
        self::$bounded = [];
        parent::tearDownAfterClass();
    }

    private function write(string $name, string $text): void
    {
        file_put_contents("{$this->folder}/$name", $text);
    }
}
