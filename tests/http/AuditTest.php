<?php

declare(strict_types=1);

namespace Howdah\HttpTests;

/** `howdah audit` of applications that are made for the test. */
final class AuditTest extends HttpTestCase
{
    private const PAGES = <<<'PHP'
        <?php
        $path = strtok($_SERVER['REQUEST_URI'], '?');
        if ($path === '/login' && $_SERVER['REQUEST_METHOD'] === 'POST') {
            setcookie('who', $_POST['name']);
            http_response_code(303);
            header('Location: /me');
        } elseif ($path === '/me') {
            http_response_code(isset($_COOKIE['who']) && $_SERVER['HTTP_X_THING'] === '1' ? 200 : 403);
        } elseif ($path === '/fail') {
            throw new Exception('this page fails');
        } elseif ($path === '/crash') {
            posix_kill(getmypid(), 11);
        } elseif ($path === '/host') {
            http_response_code($_SERVER['HTTP_HOST'] === 'shop.example' ? 200 : 404);
        } else {
            echo '<a href="/a">a</a> <a href="/b?x=1">b</a> <a href="/style.css">file</a> <a href="http://else.where/">c</a>';
        }
        PHP;

    private string $folder;

    protected function setUp(): void
    {
        $this->folder = sys_get_temp_dir() . '/howdah-audit-' . bin2hex(random_bytes(6));
        mkdir($this->folder);
        file_put_contents("$this->folder/index.php", self::PAGES);
        file_put_contents("$this->folder/style.css", 'a {}');
    }

    protected function tearDown(): void
    {
        exec('rm -rf ' . escapeshellarg($this->folder));
        parent::tearDown();
    }

    public function test_links_are_followed_and_requests_overlap(): void
    {
        $told = $this->audit([])->json();

        self::assertSame(3, $told['pages']);
        self::assertGreaterThanOrEqual(200, $told['requests']);
        self::assertGreaterThan(8, $told['realms'], 'requests overlap, and realms are replaced');
        self::assertGreaterThan(200, $told['looks']);
        self::assertSame(['done', 0, []], [$told['ended'], $told['failed'], $told['crashes']]);
        self::assertSame(['200' => $told['requests']], $told['statuses']);
    }

    public function test_a_list_of_requests_is_sent_in_its_order_and_each_client_has_cookies_of_its_own(): void
    {
        $requests = $this->requests("POST /login name=guest\nGET /me\n  X-Thing: 1\n");
        $told = $this->audit(['--clients=3', '--rounds=4', $requests])->json();

        self::assertSame(24, $told['requests']);
        self::assertSame(['303' => 12, '200' => 12], $told['statuses']);
    }

    public function test_the_application_sees_the_host_that_was_named(): void
    {
        $told = $this->audit(['--host=shop.example', $this->requests("GET /host\n")])->json();

        self::assertSame(['200' => 16], $told['statuses']);
    }

    public function test_errors_of_the_server_are_said(): void
    {
        $audit = $this->audit(['--clients=2', $this->requests("GET /\nGET /fail\n")], false);

        self::assertStringContainsString('Answers with an error of the server, or none at all: 4', $audit->output);
        self::assertStringContainsString('GET /fail: 500 (4 times)', $audit->output);
    }

    public function test_a_crash_is_said_with_where_it_was_and_is_no_clean_audit(): void
    {
        $audit = $this->audit(['--clients=1', '--rounds=1', $this->requests("GET /\nGET /crash\n")], false);

        self::assertSame(1, $audit->status, $audit->output);
        self::assertMatchesRegularExpression(
            '~^A worker crashed: signal 11, it ran GET /crash: .*index\.php on line 12, in posix_kill~m',
            $audit->output,
        );
        self::assertStringContainsString('; a worker crashed', $audit->output);
    }

    public function test_the_log_is_kept_where_it_is_wanted(): void
    {
        $this->audit(['--clients=1', "--log=$this->folder/log", $this->requests("GET /\nGET /fail\n")]);

        self::assertStringContainsString('this page fails', (string) file_get_contents("$this->folder/log"));
    }

    public function test_what_could_not_be_found_out_is_neither_clean_nor_unclean(): void
    {
        $fails = $this->audit([$this->requests("GET /fail\n")]);
        self::assertSame(2, $fails->status);
        self::assertStringContainsString('no request without an error (GET /fail: 500 (16 times))', $fails->errors);
        self::assertStringContainsString('log: ', $fails->errors);

        $files = $this->audit([$this->requests("GET /style.css\n")]);
        self::assertSame(2, $files->status);
        self::assertStringContainsString('PHP answered no request', $files->errors);

        $refused = $this->audit(['--ini=opcache.interned_strings_buffer=0']);
        self::assertSame(2, $refused->status);
        self::assertStringContainsString('opcache.interned_strings_buffer=0 is not supported', $refused->errors);

        foreach (['--requests=/no/such', '--rounds=0', '--host=a/b', '--mode=none', '--no-such-option'] as $mistake) {
            self::assertSame(2, $this->audit([$mistake])->status, $mistake);
        }
    }

    public function test_it_leaves_nothing_behind(): void
    {
        mkdir("$this->folder/tmp");

        Howdah::run(['audit', $this->folder, '--rounds=1'], ['TMPDIR' => "$this->folder/tmp"]);

        self::assertSame(['.', '..'], scandir("$this->folder/tmp"));
    }

    public function test_it_says_whether_an_application_can_be_rewound(): void
    {
        self::assertSame([0, '{"works":true,"obstacles":[],"spoiled":[]}'], $this->rewound('', ''));

        [$status, $told] = $this->rewound('$kept = fopen(__FILE__, "r");', '');
        self::assertSame(1, $status, $told);
        self::assertMatchesRegularExpression('~^{"works":false,"obstacles":\["when it .* stream \(.*worker\.php\)~', $told);

        [$status, $told] = $this->rewound('', 'putenv("A=1");');
        self::assertSame(0, $status, $told);
        self::assertStringEndsWith('"spoiled":["the environment (putenv())"]}', $told);
    }

    /** @return array{int, string} */
    private function rewound(string $boot, string $request): array
    {
        file_put_contents("$this->folder/worker.php", "<?php $boot while (frankenphp_handle_request(static function () {"
            . " $request echo 'page'; })) {}");

        $audit = $this->audit(['--mode=worker', '--worker-script=worker.php', '--rewind', '--clients=2', '--rounds=2']);

        return [$audit->status, (string) json_encode($audit->json()['rewind'], JSON_UNESCAPED_SLASHES)];
    }

    /** @param list<string> $arguments */
    private function audit(array $arguments, bool $json = true): Howdah
    {
        return Howdah::run(['audit', $this->folder, '--time=3600', '--seed=1', ...$arguments, ...($json ? ['--json'] : [])]);
    }

    private function requests(string $text): string
    {
        file_put_contents("$this->folder/requests", $text);

        return "--requests=$this->folder/requests";
    }
}
