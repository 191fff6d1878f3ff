<?php

declare(strict_types=1);

namespace Howdah\Cli\Tests;

use Howdah\Cli\Listen;
use Howdah\Cli\Tls\Certificate;
use Howdah\Cli\Tls\GivenFiles;
use Howdah\Cli\Tls\Issuer;
use Howdah\Cli\Tls\TlsFiles;
use OpenSSLCertificateSigningRequest;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\TestWith;

/** --tls-certificate and --tls-key: each mistake by its name, before nginx starts. */
#[Group('other')]
final class GivenFilesTest extends CliTestCase
{
    /** Debian 13's, 3.5: a server's own certificate may have such a signature there. Debian 12's, 3.0, refuses it. */
    private const TAKES_SHA1 = 0x30500000;

    private const DAY = 86400;
    private const DAYS = 90;

    private string $folder;
    private string $pem;

    protected function setUp(): void
    {
        $authority = Issuer::authority('A test', ['example'], 100);
        $this->pem = Issuer::server(['shop.example', '*.shop.example', '10.0.0.1', '::1'], self::DAYS, $authority);
        $this->folder = $this->project(['both.pem' => $this->pem]);
    }

    public function test_files_that_are_right_are_taken_as_they_are(): void
    {
        symlink('both.pem', "{$this->folder}/live.pem");

        $files = $this->check('live.pem', 'both.pem');

        self::assertSame(["{$this->folder}/live.pem", "{$this->folder}/both.pem"], [$files->certificate, $files->key]);
        self::assertSame([[], []], [$files->warnings, $files->notes]);
    }

    public function test_what_is_not_there_or_may_not_be_read_is_named(): void
    {
        mkdir("{$this->folder}/folder");
        $none = "{$this->folder}/none";

        self::assertStringStartsWith("--tls-certificate=$none: there is no such file", $this->refused('none', 'both.pem'));
        self::assertStringStartsWith("--tls-key=$none: there is no such file", $this->refused('both.pem', 'none'));
        $message = $this->refused('both.pem', 'folder');
        $user = posix_getpwuid(posix_geteuid())['name'] ?? '';
        self::assertStringStartsWith("--tls-key={$this->folder}/folder is no file that the user $user may read", $message);
    }

    /** nginx would not start. */
    #[TestWith([1024, 'sha256', 'ee key too small', '2048 bits'])]
    #[TestWith([2048, 'sha1', 'ca md too weak', 'signatures are by SHA-256'])]
    public function test_what_is_too_weak_is_named(int $bits, string $digest, string $says, string $helps): void
    {
        $key = openssl_pkey_new(['private_key_bits' => $bits]);
        self::assertNotFalse($key);
        $same = $key;
        $request = openssl_csr_new(['commonName' => 'localhost'], $same);
        self::assertInstanceOf(OpenSSLCertificateSigningRequest::class, $request);
        $authority = Issuer::authority('A test', ['localhost'], 100);
        $certificate = openssl_csr_sign($request, $authority, $authority, 2, ['digest_alg' => $digest]);
        self::assertNotFalse($certificate);
        openssl_x509_export_to_file($certificate, "{$this->folder}/weak.pem");
        openssl_pkey_export_to_file($key, "{$this->folder}/weak.key");
        $since = Certificate::fromPem((string) file_get_contents("{$this->folder}/weak.pem"))?->from;

        if ($digest === 'sha1' && OPENSSL_VERSION_NUMBER >= self::TAKES_SHA1) {
            self::assertSame("{$this->folder}/weak.pem", $this->check('weak.pem', 'weak.key', $since)->certificate);

            return;
        }
        $message = $this->refused('weak.pem', 'weak.key', $since);

        $given = "--tls-certificate={$this->folder}/weak.pem";
        self::assertStringStartsWith("$given: OpenSSL refuses it for a server, and nginx would: $says", $message);
        self::assertStringContainsString($helps, $message);
    }

    public function test_root_or_not_a_key_of_another_user_is_named(): void
    {
        if (posix_geteuid() !== 0) {
            self::assertStringContainsString('may read', $this->refused('both.pem', '/etc/shadow'));

            return;
        }
        chmod("{$this->folder}/both.pem", 0600);
        chmod($this->folder, 0755);
        chmod(dirname($this->folder), 0755);
        posix_seteuid((posix_getpwnam('www-data') ?: self::fail('no www-data'))['uid']);
        try {
            $message = $this->refused('both.pem', 'both.pem');
        } finally {
            posix_seteuid(0);
        }
        self::assertStringContainsString('both.pem is no file that the user www-data may read, as whom nginx starts', $message);
    }

    public function test_what_is_something_else_is_named(): void
    {
        $certificate = "--tls-certificate={$this->folder}/other is no certificate in PEM form";
        $key = "--tls-key={$this->folder}/other is no private key in PEM form";
        foreach (['', 'text', "-----BEGIN CERTIFICATE-----\nbroken\n-----END CERTIFICATE-----\n", "\0\x30\x82"] as $text) {
            $this->write('other', $text);
            self::assertStringStartsWith($certificate, $this->refused('other', 'both.pem'));
            self::assertStringStartsWith($key, $this->refused('both.pem', 'other'));
        }
    }

    public function test_a_key_of_another_certificate_is_named(): void
    {
        $this->write('other', Issuer::authority('Another', [], 1));

        $message = $this->refused('both.pem', 'other');

        self::assertStringStartsWith("--tls-key={$this->folder}/other is not the key of the certificate", $message);
    }

    #[TestWith(['', '-----BEGIN ENCRYPTED'], 'PKCS 8')]
    #[TestWith(['-traditional', 'Proc-Type: 4,ENCRYPTED'], 'as OpenSSL once wrote them')]
    public function test_an_encrypted_key_is_named_and_nobody_is_asked_for_its_passphrase(string $option, string $mark): void
    {
        exec("openssl pkey $option -aes256 -passout pass:secret -in {$this->folder}/both.pem -out {$this->folder}/encrypted");
        self::assertStringContainsString($mark, (string) file_get_contents("{$this->folder}/encrypted"));

        $message = $this->refused('both.pem', 'encrypted');

        self::assertStringContainsString('encrypted is encrypted, and nobody could type its passphrase', $message);
        self::assertStringContainsString("`openssl pkey -in {$this->folder}/encrypted -out NEW`", $message);
    }

    public function test_the_time_is_looked_at(): void
    {
        $certificate = Certificate::fromPem($this->pem) ?? self::fail('no certificate');
        [$from, $end] = [$certificate->from, $certificate->until];
        $day = gmdate('Y-m-d', $end);

        self::assertSame([], $this->check('both.pem', 'both.pem', $end - 14 * self::DAY)->warnings);
        [$warning] = $this->check('both.pem', 'both.pem', $end - 14 * self::DAY + 1)->warnings;
        self::assertStringContainsString("both.pem expires soon, on $day", $warning);
        self::assertCount(1, $this->check('both.pem', 'both.pem', $end)->warnings);
        self::assertStringContainsString("has expired, on $day", $this->refused('both.pem', 'both.pem', $end + 1));
        self::assertStringContainsString('is not valid before ', $this->refused('both.pem', 'both.pem', $from - 1));
    }

    #[TestWith(['10.0.0.1:1', true], 'an address')]
    #[TestWith(['[0:0:0::1]:1', true], 'written otherwise')]
    #[TestWith(['0.0.0.0:1', true], 'all addresses')]
    #[TestWith(['[::]:1', true], 'all addresses of IPv6')]
    #[TestWith(['10.0.0.2:1', false], 'another address')]
    #[TestWith(['localhost:1', false], 'another name')]
    public function test_a_certificate_for_another_host_is_warned_of(string $listen, bool $isRight): void
    {
        $warnings = $this->check('both.pem', 'both.pem', null, $listen)->warnings;

        self::assertCount($isRight ? 0 : 1, $warnings);
        if (!$isRight) {
            $names = 'is for shop.example, *.shop.example, 10.0.0.1, ::1, not for ';
            self::assertStringContainsString($names, $warnings[0]);
        }
    }

    #[TestWith(['shop.example', true])]
    #[TestWith(['SHOP.Example', true])]
    #[TestWith(['a.shop.example', true])]
    #[TestWith(['a.b.shop.example', false])]
    #[TestWith(['example', false])]
    #[TestWith(['0:0:0:0:0:0:0:1', true])]
    public function test_names_are_compared_as_clients_do(string $host, bool $isFor): void
    {
        self::assertSame($isFor, Certificate::fromPem($this->pem)?->isFor($host));
    }

    private function write(string $name, string $text): void
    {
        file_put_contents("{$this->folder}/$name", $text);
    }

    private function check(string $certificate, string $key, ?int $now = null, string $listen = '10.0.0.1:1'): TlsFiles
    {
        $now ??= (Certificate::fromPem($this->pem) ?? self::fail('no certificate'))->from;

        return (new GivenFiles($this->path($certificate), $this->path($key)))->files(Listen::parse($listen)->withTls(), $now);
    }

    private function refused(string $certificate, string $key, ?int $now = null): string
    {
        return $this->failure(fn () => $this->check($certificate, $key, $now));
    }

    private function path(string $name): string
    {
        return $name[0] === '/' ? $name : "{$this->folder}/$name";
    }
}
