<?php

declare(strict_types=1);

namespace Howdah\Cli\Tests;

use Howdah\Cli\DataFolder;
use Howdah\Cli\Listen;
use Howdah\Cli\Program;
use Howdah\Cli\Tls\Certificate;
use Howdah\Cli\Tls\Issuer;
use Howdah\Cli\Tls\LocalAuthority;
use Howdah\Cli\Tls\LocalHosts;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\TestWith;

/** `--tls`: what is made, what the program openssl says of it, and when it is made anew. */
#[Group('other')]
final class LocalAuthorityTest extends CliTestCase
{
    private const DAY = 86400;

    private string $folder;

    protected function setUp(): void
    {
        $this->folder = $this->project([]) . '/data/howdah';
    }

    public function test_a_client_that_is_strict_believes_it(): void
    {
        $this->make(Listen::parse('localhost:8443'));

        $hosts = ['-verify_hostname localhost', '-verify_ip 127.0.0.1', '-verify_ip ::1'];
        foreach ($hosts as $host) {
            $answer = $this->verify("{$this->folder}/server-localhost.pem", ...explode(' ', $host));
            self::assertSame(0, $answer->status, "$host: $answer->errors");
        }
        $text = $this->openssl('x509', '-noout', '-text', '-in', "{$this->folder}/server-localhost.pem")->output;
        self::assertMatchesRegularExpression('/Basic Constraints: critical\s+CA:FALSE/', $text);
        self::assertMatchesRegularExpression('/X509v3 Key Usage: critical\s+Digital Signature\n/', $text);
        self::assertMatchesRegularExpression('/Extended Key Usage:\s+TLS Web Server Authentication\n/', $text);
        $authority = $this->openssl('x509', '-noout', '-text', '-in', "{$this->folder}/authority.crt")->output;
        self::assertMatchesRegularExpression('/Basic Constraints: critical\s+CA:TRUE, pathlen:0/', $authority);
        self::assertMatchesRegularExpression('/Key Usage: critical\s+Certificate Sign, CRL Sign\n/', $authority);
        self::assertStringNotContainsString('PRIVATE', (string) file_get_contents("{$this->folder}/authority.crt"));
        $server = $this->certificate('server-localhost.pem');
        // Apple's limit is 825 days, that of browsers for public ones 398, both ends included; OpenSSL asks the clock twice.
        self::assertSame(397, $server->daysLeft($server->from));
    }

    /** Who steals the key, as an application can, is nobody else with it. */
    #[TestWith(['bank.example', false], 'a name')]
    #[TestWith(['8.8.8.8', false], 'an address')]
    #[TestWith(['2001:db8::1', false], 'an IPv6 address')]
    #[TestWith(['localhost.example', false], 'a name that begins well')]
    #[TestWith(['notlocalhost', false], 'a name that ends well')]
    #[TestWith(['shop.test', true], '.test')]
    #[TestWith(['a.b.localhost', true], '.localhost')]
    #[TestWith(['192.168.7.7', true], 'a private address')]
    #[TestWith(['fd00::7', true], 'a private IPv6 address')]
    public function test_it_signs_for_nothing_that_is_public(string $host, bool $may): void
    {
        $this->make(Listen::parse('8443'));
        $forged = Issuer::server([$host], 90, (string) file_get_contents("{$this->folder}/authority.pem"));
        file_put_contents("{$this->folder}/forged.pem", $forged);

        self::assertSame($may, $this->verify("{$this->folder}/forged.pem")->status === 0, 'what OpenSSL says');
        self::assertSame($may, $this->certificate('authority.pem')->maySignFor($host), 'what we say');
    }

    public function test_another_name_is_refused_with_the_way_out(): void
    {
        $listen = Listen::parse('8.8.8.8:8443');

        $message = $this->failure(fn () => $this->make($listen));

        self::assertStringStartsWith("--tls: this user's own authority signs for this machine", $message);
        self::assertStringContainsString('not for 8.8.8.8: use such a name, or give a certificate', $message);
    }

    public function test_all_addresses_have_those_of_this_machine(): void
    {
        $this->make(Listen::parse('0.0.0.0:8443'));

        $names = $this->certificate('server-all.pem')->names;
        self::assertContains('127.0.0.1', $names);
        self::assertContains($this->machine(), $names);
        $private = array_filter(LocalHosts::of(Listen::parse('*:1')), $this->certificate('authority.pem')->maySignFor(...));
        self::assertEqualsCanonicalizing($private, $names);
        foreach (['0:8443', '*:8443', '[::]:8443', '[0:0::0]:8443'] as $all) {
            self::assertNull(LocalHosts::asked(Listen::parse($all)), $all);
        }
    }

    public function test_it_is_made_anew_in_time_and_no_sooner(): void
    {
        $listen = Listen::parse('8443');
        $now = $this->make($listen);
        $first = $this->contents();

        $this->make($listen, $now + 366 * self::DAY);
        self::assertSame($first, $this->contents());

        $this->make($listen, $now + 367 * self::DAY);
        $second = $this->contents();
        self::assertSame($first['authority.pem'], $second['authority.pem']);
        self::assertNotSame($first['server-127.0.0.1.pem'], $second['server-127.0.0.1.pem']);

        $this->make($listen, $now + 3589 * self::DAY);
        self::assertSame($first['authority.pem'], $this->contents()['authority.pem']);
        $notes = $this->authority()->filesFor($listen, $now + 3590 * self::DAY)->notes;
        $last = $this->contents();
        self::assertNotSame($first['authority.pem'], $last['authority.pem']);
        self::assertSame($last['authority.crt'], strstr($last['authority.pem'], '-----BEGIN PRIVATE', true));
        self::assertStringContainsString('(new', $notes[0]);
        self::assertSame(0, $this->verify("{$this->folder}/server-127.0.0.1.pem")->status, 'signed by the new one');
    }

    public function test_it_is_made_anew_where_it_was_made_in_the_future(): void
    {
        $listen = Listen::parse('8443');
        $now = $this->make($listen);
        $first = $this->contents();

        // A clock that was put right by a little.
        $this->make($listen, $now - self::DAY);
        $second = $this->contents();
        self::assertSame($first['authority.pem'], $second['authority.pem'], 'somebody may trust it');
        self::assertNotSame($first['server-127.0.0.1.pem'], $second['server-127.0.0.1.pem']);

        $this->make($listen, $now - self::DAY - 1);
        $third = $this->contents();
        self::assertNotSame($first['authority.pem'], $third['authority.pem'], 'nobody would believe it for more than a day');
        self::assertNotSame($second['server-127.0.0.1.pem'], $third['server-127.0.0.1.pem']);
    }

    public function test_what_others_have_changed_is_put_right(): void
    {
        $listen = Listen::parse('8443');
        $this->make($listen);
        $before = $this->contents();
        chmod($this->folder, 0755);
        unlink("{$this->folder}/authority.crt");
        file_put_contents("{$this->folder}/server-127.0.0.1.pem", 'half of it');

        $this->make($listen);

        clearstatcache();
        self::assertSame(0700, (int) fileperms($this->folder) & 0777);
        self::assertSame($before['authority.crt'], $this->contents()['authority.crt']);
        self::assertSame(0, $this->verify("{$this->folder}/server-127.0.0.1.pem")->status);

        // A certificate for more than it is asked for was made for another machine.
        $more = Issuer::server(['localhost', 'other'], 90, $before['authority.pem']);
        file_put_contents("{$this->folder}/server-127.0.0.1.pem", $more);
        $this->make($listen);
        self::assertNotContains('other', $this->certificate('server-127.0.0.1.pem')->names);
    }

    public function test_a_machine_that_was_renamed_is_told_what_helps(): void
    {
        self::assertCount(4, $this->authority()->filesFor(Listen::parse('8443'), time())->notes);
        file_put_contents("{$this->folder}/authority.pem", Issuer::authority('A test', ['before'], 3650));

        $notes = $this->authority()->filesFor(Listen::parse('8443'), time())->notes;

        self::assertNotContains($this->machine(), $this->certificate('server-127.0.0.1.pem')->names);
        $helps = "for {$this->machine()}: this user's own authority was made when this machine had another name. Remove"
            . " {$this->folder}/authority.pem";
        self::assertStringContainsString($helps, $notes[4] ?? '');
        unlink("{$this->folder}/authority.pem");
        self::assertCount(4, $this->authority()->filesFor(Listen::parse('8443'), time())->notes);
        self::assertContains($this->machine(), $this->certificate('server-127.0.0.1.pem')->names);
    }

    public function test_who_has_told_the_machine_is_not_told_how_again(): void
    {
        $listen = Listen::parse('8443');
        $trusted = dirname($this->folder, 2) . '/ca-certificates.crt';
        $authority = new LocalAuthority(new DataFolder($this->folder), $trusted);

        $first = $authority->filesFor($listen, time())->notes;
        self::assertCount(4, $first);
        self::assertStringContainsString("install -m 644 {$this->folder}/authority.crt /usr/local/", $first[1]);
        self::assertStringEndsWith("certutil -d sql:. -A -t C,, -n howdah -i {$this->folder}/authority.crt \\;", $first[3]);
        self::assertCount(4, $authority->filesFor($listen, time())->notes);
        file_put_contents($trusted, Issuer::authority('Another', [], 9) . $this->contents()['authority.crt']);

        $told = $authority->filesFor($listen, time())->notes;

        self::assertSame(["TLS for localhost, 127.0.0.1, ::1, {$this->machine()}, signed by this user's own authority:"
            . " {$this->folder}/authority.crt"], $told);
    }

    public function test_a_folder_that_cannot_be_is_named(): void
    {
        $file = $this->project(['taken' => '']) . '/taken';

        $message = $this->failure(static fn () => (new DataFolder("$file/howdah"))->alone(static fn () => null));

        self::assertSame("cannot make the folder $file/howdah: make it writable for this user, free some space"
            . ' there, or set XDG_DATA_HOME to another folder', $message);
    }

    /** PHP's extension leaves a file there where nobody says otherwise: ~/.rnd. */
    public function test_nothing_is_left_in_the_users_home(): void
    {
        $home = $this->project([]);
        $code = 'require $argv[1]; echo strlen(Howdah\Cli\Tls\Issuer::authority("A test", [], 9)) > 1000 ? "made" : "";';
        $autoload = dirname(__DIR__) . '/vendor/autoload.php';

        // OpenSSL's own file of settings gives these a meaning.
        $temporary = $this->project([]) . "/\$HOME \"#\\n\"";
        mkdir($temporary);

        $answer = Program::run(['env', "HOME=$home", "TMPDIR=$temporary", PHP_BINARY, '-r', $code, $autoload]);

        self::assertSame([0, 'made', ''], [$answer->status, $answer->output, $answer->errors]);
        self::assertSame(['.', '..'], scandir($home));
        self::assertSame(['.', '..'], scandir($temporary));
    }

    public function test_the_folder_is_where_others_keep_their_data(): void
    {
        $home = getenv('HOME');
        $data = getenv('XDG_DATA_HOME');
        try {
            putenv('XDG_DATA_HOME=/srv/data/');
            self::assertSame('/srv/data/howdah', DataFolder::ofThisUser()->path);
            putenv('XDG_DATA_HOME=relative');
            putenv("HOME={$this->project([])}");
            self::assertSame(getenv('HOME') . '/.local/share/howdah', DataFolder::ofThisUser()->path);
            putenv('HOME=/none');
            $own = posix_getpwuid(posix_geteuid())['dir'] ?? '';
            self::assertSame("$own/.local/share/howdah", DataFolder::ofThisUser()->path, 'of another user, or not there');
        } finally {
            putenv($home === false ? 'HOME' : "HOME=$home");
            putenv($data === false ? 'XDG_DATA_HOME' : "XDG_DATA_HOME=$data");
        }
    }

    private function machine(): string
    {
        return strtolower((string) gethostname());
    }

    private function authority(): LocalAuthority
    {
        return new LocalAuthority(new DataFolder($this->folder));
    }

    /** @return int the time at which the authority's certificate begins */
    private function make(Listen $listen, ?int $now = null): int
    {
        $this->authority()->filesFor($listen, $now ?? time());

        return $this->certificate('authority.pem')->from;
    }

    private function certificate(string $name): Certificate
    {
        $certificate = Certificate::fromPem((string) file_get_contents("{$this->folder}/$name"));
        self::assertNotNull($certificate);

        return $certificate;
    }

    /** @return array<string, string> by name */
    private function contents(): array
    {
        $contents = [];
        foreach (glob("{$this->folder}/*") ?: [] as $path) {
            $contents[basename($path)] = (string) file_get_contents($path);
        }

        return $contents;
    }

    private function verify(string $path, string ...$options): Program
    {
        $strict = ['-x509_strict', '-purpose', 'sslserver', '-CAfile', "{$this->folder}/authority.crt"];

        return $this->openssl('verify', ...$strict, ...array_values($options), ...[$path]);
    }

    private function openssl(string ...$arguments): Program
    {
        return Program::run(['/usr/bin/openssl', ...array_values($arguments)]);
    }
}
