<?php

declare(strict_types=1);

namespace Howdah\Cli\Tls;

use Howdah\Cli\Control\LogicalPath;
use Howdah\Cli\Failure;
use Howdah\Cli\Listen;

/** --tls-certificate and --tls-key, looked at before nginx does: it would say less, or nothing. */
final readonly class GivenFiles
{
    private const CERTIFICATE = '--tls-certificate';
    private const KEY = '--tls-key';

    /** Those that renew certificates by themselves do it earlier. */
    private const SOON_DAYS = 14;

    /** As many as a person reads. */
    private const NAMES_TOLD = 5;

    /** With the links in it: they may lead to others later, as those of certbot do. */
    private string $certificatePath;
    private string $keyPath;

    public function __construct(private string $certificate, private string $key)
    {
        $this->certificatePath = LogicalPath::of($certificate);
        $this->keyPath = LogicalPath::of($key);
    }

    /** @return list<string> */
    public function arguments(): array
    {
        return [self::CERTIFICATE . "={$this->certificatePath}", self::KEY . "={$this->keyPath}"];
    }

    public function files(Listen $listen, int $now): TlsFiles
    {
        $pem = self::contents(self::CERTIFICATE, $this->certificate, $this->certificatePath);
        $keyPem = self::contents(self::KEY, $this->key, $this->keyPath);
        if (!extension_loaded('openssl')) {
            return new TlsFiles($this->certificatePath, $this->keyPath, ["PHP's extension openssl is missing (Debian has it in"
                . " php-cli), so nobody looks at {$this->certificate} before nginx does"]);
        }
        $certificate = Certificate::fromPem($pem);
        if ($certificate === null) {
            throw new Failure(self::CERTIFICATE . "={$this->certificate} is no certificate in PEM form (-----BEGIN"
                . ' CERTIFICATE-----): name the file with the chain, as fullchain.pem; `openssl x509 -inform der -in FILE`'
                . ' converts one in DER form');
        }
        $this->assertKey($keyPem, $certificate);
        $refusal = ServerCheck::refusal($this->certificatePath, $this->keyPath);
        if ($refusal !== null) {
            throw new Failure(self::CERTIFICATE . "={$this->certificate}: OpenSSL refuses it for a server, and nginx would:"
                . " $refusal: make one whose keys, also those of its chain, have 2048 bits (RSA) or 256 (EC), and whose"
                . ' signatures are by SHA-256');
        }
        $this->assertTime($certificate, $now);

        return new TlsFiles(
            $this->certificatePath,
            $this->keyPath,
            array_values(array_filter([$this->expiry($certificate, $now), $this->otherName($certificate, $listen)])),
        );
    }

    private static function contents(string $option, string $given, string $path): string
    {
        clearstatcache(true, $path);
        if (!file_exists($path)) {
            throw new Failure("$option=$given: there is no such file, or its folder may not be entered: name the file in PEM"
                . ' form');
        }
        $text = is_file($path) ? @file_get_contents($path) : false;
        if ($text === false) {
            $user = posix_getpwuid(posix_geteuid())['name'] ?? (string) posix_geteuid();
            throw new Failure("$option=$given is no file that the user $user may read, as whom nginx starts: let that user read"
                . ' it, or start howdah as root, with --user= for the workers');
        }

        return $text;
    }

    private function assertKey(string $pem, Certificate $certificate): void
    {
        $given = self::KEY . "={$this->key}";
        // OpenSSL would ask for the passphrase on the terminal.
        if (preg_match('/^-----BEGIN ENCRYPTED PRIVATE KEY-----|^Proc-Type: 4,ENCRYPTED/m', $pem) === 1) {
            throw new Failure("$given is encrypted, and nobody could type its passphrase when nginx reads it: `openssl pkey -in"
                . " {$this->key} -out NEW` writes it without one (chmod 600)");
        }
        $key = openssl_pkey_get_private($pem);
        if ($key === false) {
            throw new Failure("$given is no private key in PEM form (-----BEGIN PRIVATE KEY-----): name the file that was made"
                . ' with the certificate, as privkey.pem');
        }
        if (!openssl_x509_check_private_key($certificate->x509, $key)) {
            throw new Failure("$given is not the key of the certificate {$this->certificate}: give the two that were made"
                . ' together; in a file with a chain the certificate of the server comes first');
        }
    }

    private function assertTime(Certificate $certificate, int $now): void
    {
        $given = self::CERTIFICATE . "={$this->certificate}";
        if ($certificate->until < $now) {
            throw new Failure("$given has expired, on " . self::day($certificate->until) . ': renew it (`certbot renew`), or'
                . ' look at the clock of this machine');
        }
        if ($certificate->from > $now) {
            throw new Failure("$given is not valid before " . self::day($certificate->from) . ': look at the clock of this'
                . ' machine');
        }
    }

    private function expiry(Certificate $certificate, int $now): ?string
    {
        $days = $certificate->daysLeft($now);

        return $days >= self::SOON_DAYS ? null : "the certificate {$this->certificate} expires soon, on "
            . self::day($certificate->until) . ': renew it, then `howdah reload`';
    }

    private function otherName(Certificate $certificate, Listen $listen): ?string
    {
        $asked = LocalHosts::asked($listen);
        if ($asked === null || $certificate->isFor($asked)) {
            return null;
        }
        $names = implode(', ', array_slice($certificate->names, 0, self::NAMES_TOLD));
        $more = count($certificate->names) > self::NAMES_TOLD ? ' and others' : '';

        return "the certificate {$this->certificate} is for " . ($names === '' ? 'no host' : $names . $more)
            . ", not for $asked: browsers that ask for {$listen->toUrl()} will refuse it (--host= says where to listen)";
    }

    private static function day(int $time): string
    {
        return gmdate('Y-m-d H:i', $time) . ' UTC';
    }
}
