<?php

declare(strict_types=1);

namespace Howdah\HttpTests;

use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;

/** docs/serve.md says what `howdah serve` does with each address. So it does. */
#[Group('other')]
final class AddressesTest extends HttpTestCase
{
    private const PAGE = __DIR__ . '/../../docs/serve.md';

    /** Tells its name, its method and its body; or boots and works. */
    private const SCRIPT = <<<'PHP'
        <?php
        // secret
        $say = static fn (string $name): int => print "$name {$_SERVER['REQUEST_METHOD']} " . file_get_contents('php://input');
        try {
            while (frankenphp_handle_request(static fn () => $say('worker.php'))) {
            }
        } catch (RuntimeException) {
            $say(substr(__FILE__, strlen($_SERVER['DOCUMENT_ROOT']) + 1));
        }
        PHP;

    private const LINK = ', a link out of the document root';

    private string $folder;

    protected function setUp(): void
    {
        $this->folder = sys_get_temp_dir() . '/howdah-addresses-' . bin2hex(random_bytes(6));
    }

    protected function tearDown(): void
    {
        parent::tearDown();
        exec('rm -rf ' . escapeshellarg($this->folder) . ' ' . escapeshellarg("{$this->folder}-elsewhere"));
    }

    #[DataProvider('modes')]
    public function test_each_address_of_the_table_is_answered_as_it_says(string $mode): void
    {
        $rows = self::rows();
        $this->write('index.php', self::SCRIPT);
        $this->write('worker.php', self::SCRIPT);
        foreach ($rows as ['there' => $there]) {
            $this->make($there);
        }
        $options = $mode === 'worker' ? ['--worker-script=worker.php'] : ['--mode=classic'];

        $server = $this->keep(Server::serving($this->folder, '--workers=1', ...$options));
        foreach ($rows as $row) {
            $asked = [CURLOPT_CUSTOMREQUEST => $row['method'], CURLOPT_NOBODY => $row['method'] === 'HEAD',
                CURLOPT_FOLLOWLOCATION => false, CURLOPT_PATH_AS_IS => true];
            $body = in_array($row['method'], ['POST', 'PUT'], true) ? 'sent' : null;
            $response = $server->client->get($row['uri'], $asked + ($body === null ? [] : [CURLOPT_POSTFIELDS => $body]));
            $said = "{$row['method']} {$row['uri']} in $mode mode: {$row[$mode]}";
            self::assertSame($this->expected($row, $mode), $this->got($response, $row['method']), $said);
            if ($row[$mode] !== 'the file') {
                self::assertStringNotContainsString('secret', $response->body, $said);
            }
        }
    }

    public function test_what_is_not_published_what_cannot_be_followed_and_what_means_nothing_are_said(): void
    {
        $this->write('index.php', self::SCRIPT);
        $this->write('config/app.txt', 'secret');
        $this->write('.htaccess', "RewriteEngine on\nRewriteRule ^old$ /new [R=301]\n");
        $kept = "config/ in {$this->folder}: not published";
        $unfollowed = "{$this->folder}/.htaccess: not followed: line 2 `RewriteRule ^old$ /new [R=301]`;";

        $served = $this->keep(Server::serving($this->folder, '--workers=1', '--rewind'))->errors();
        self::assertStringContainsString('--rewind means nothing in classic mode', $served);
        $doctor = Howdah::run(['doctor', $this->folder])->output;

        foreach ([$kept, $unfollowed] as $line) {
            self::assertStringContainsString($line, $served);
            self::assertStringContainsString($line, (string) preg_replace('/\s+/', ' ', $doctor));
        }
    }

    /** Installers write them beside what they have just made. */
    public function test_a_folder_that_is_protected_later_is_refused_from_then_on(): void
    {
        $this->write('index.php', self::SCRIPT);
        foreach (['a/b/list.txt', 'a/run.php', 'a/open/list.txt'] as $name) {
            $this->write("made/$name", str_ends_with($name, '.php') ? self::SCRIPT : 'open');
        }
        $client = $this->keep(Server::serving($this->folder, '--workers=1'))->client;
        $statuses = static fn (): array => array_map(
            static fn (string $name): int => $client->get("/made/a/$name")->status,
            ['b/list.txt', 'run.php', 'run.php/info', 'open/list.txt', 'none'],
        );
        self::assertSame([200, 200, 200, 200, 200], $statuses());

        $both = "# a\n<IfModule mod_authz_core.c>\n Require all \\\n denied\n</IfModule>\n"
            . "<IfModule !mod_authz_core.c>\n  deny from all\n</IfModule>";
        $marked = "\xEF\xBB\xBFRequire all denied";
        $old = "Order deny,allow\nDENY from all";
        $none = "<RequireNone>\n%s\n</RequireNone>\n";
        $nobody = [sprintf($none, 'Require all granted'), sprintf($none, 'Require ip 10.0.0.1'), 'Require not ip 10.0.0.1'];
        $all = ['Require all denied', $marked, "no text: \0", $old, $both];
        $texts = [...$nobody, ...$all, 'Require valid-user', 'Order allow,deny'];
        foreach ($texts as $text) {
            $this->write('made/a/.htaccess', $text);
            self::assertSame([403, 403, 403, 403, 200], $statuses(), $text);
        }
        $this->write('made/a/open/.htaccess', 'Require all granted');
        self::assertSame([403, 403, 403, 200, 200], $statuses());

        $open = ['Options -Indexes', "Order allow,deny\nAllow from all", '# Require all denied', '', "RewriteRule ^deny - \\",
            "<Files x>\nDeny from all\n</Files>", "Require all granted\n" . sprintf($none, 'Require ip 10.0.0.1'),
            sprintf($none, 'Require all denied') . 'Require all granted', "Require all granted\nRequire not ip 10.0.0.1"];
        foreach ($open as $text) {
            $this->write('made/a/.htaccess', $text);
            self::assertSame([200, 200, 200, 200, 200], $statuses(), $text);
        }
    }

    /** As from a location that is `internal`: the script has asked who it is. */
    public function test_a_script_may_send_what_is_not_published(): void
    {
        $this->write('index.php', "<?php\nheader('X-Accel-Redirect: ' . \$_GET['file']);\n");
        foreach (['data/list.txt', 'a/list.txt', '.hidden'] as $name) {
            $this->write($name, 'for some');
        }
        $this->write('a/.htaccess', 'Require all denied');
        $client = $this->keep(Server::serving($this->folder, '--workers=1'))->client;

        foreach (['/data/list.txt' => 200, '/a/list.txt' => 200, '/.hidden' => 403] as $file => $status) {
            self::assertSame(403, $client->get($file)->status, $file);
            self::assertSame($status, $client->get("/?file=$file")->status, $file);
        }
    }

    /** What an answer says: its status, and its body or where it leads to. */
    private function got(Response $response, string $method): string
    {
        $status = $response->status;
        $rest = $status === 200 && $method !== 'HEAD' ? $response->body : ($response->header('location') ?? '');

        return trim("$status $rest");
    }

    /** @param array{method: string, uri: string, there: string, classic: string, worker: string} $row */
    private function expected(array $row, string $mode): string
    {
        $answer = $row[$mode];
        if (preg_match('/^(\d{3})(?: to `(.+)`)?$/D', $answer, $match) === 1) {
            return trim($match[1] . ' ' . ($match[2] ?? ''));
        }
        $said = $row['method'] . (in_array($row['method'], ['POST', 'PUT'], true) ? ' sent' : '');

        return trim(match (true) {
            $row['method'] === 'HEAD' => '200',
            $answer === 'the file' => '200 ' . $this->textOf($row['there']),
            $answer === 'the front controller' => "200 index.php $said",
            $answer === 'the worker script' => "200 worker.php $said",
            default => '200 ' . trim($answer, '`') . " $said",
        });
    }

    private function textOf(string $there): string
    {
        $name = explode('`', $there)[1] ?? self::fail("no file: $there");

        return (string) file_get_contents("{$this->folder}/$name");
    }

    /** "`a.inc`, which begins with `<?php`", "`a.txt`, a link out of [...]", "`data/.htaccess` with `Require all denied`" or "`style.css`" */
    private function make(string $there): void
    {
        foreach (explode('; ', $there) as $file) {
            if (str_contains($file, self::LINK)) {
                $file = str_replace(self::LINK, '', $file);
                $this->link(explode('`', $file)[1]);
            }
            if (preg_match('/^`([^`]+)`(?:,? (?:which begins with|with) `([^`]+)`)?/', $file, $match) !== 1) {
                self::assertContains($file, ['', 'nothing']);
                continue;
            }
            $this->write($match[1], match (true) {
                isset($match[2]) => "$match[2]\nsecret",
                str_ends_with($match[1], '.php') => self::SCRIPT,
                default => "<p>text of $match[1]</p>\n",
            });
        }
    }

    /** What is written into it lies elsewhere. */
    private function link(string $name): void
    {
        is_dir("{$this->folder}-elsewhere") || mkdir("{$this->folder}-elsewhere", 0755);
        symlink("{$this->folder}-elsewhere/$name", "{$this->folder}/$name");
    }

    private function write(string $name, string $text): void
    {
        $path = "{$this->folder}/$name";
        if (!is_dir(dirname($path))) {
            mkdir(dirname($path), 0755, true);
        }
        file_put_contents($path, $text);
    }

    /** @return list<array{method: string, uri: string, there: string, classic: string, worker: string}> */
    private static function rows(): array
    {
        $text = (string) file_get_contents(self::PAGE);
        preg_match_all('/^\| `([A-Z]+) (\/[^`]*)` \| ([^|]*) ?\| ([^|]+) \| ([^|]+) \|$/m', $text, $rows, PREG_SET_ORDER);
        self::assertSame(preg_match_all('/^\| `[A-Z]+ /m', $text), count($rows), 'each row can be read');
        self::assertGreaterThan(40, count($rows));

        return array_map(static fn (array $row): array => [
            'method' => $row[1],
            'uri' => $row[2],
            'there' => trim($row[3]),
            'classic' => $row[4],
            'worker' => $row[5],
        ], $rows);
    }
}
