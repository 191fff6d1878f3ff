<?php

declare(strict_types=1);

namespace Howdah\Cli\Tls;

use Howdah\Cli\DataFolder;
use Howdah\Cli\Failure;
use Howdah\Cli\Listen;

/**
 * The authority of one user on one machine, made once, and what it signs for: `--tls`. A browser that trusts its certificate
 * believes all servers that this user starts.
 *
 * A certificate and its key are in one file, which is replaced as a whole: they always belong together.
 */
final readonly class LocalAuthority
{
    private const FILE = 'authority.pem';

    /** For browsers: without the key. */
    private const CERTIFICATE = 'authority.crt';
    private const DAYS = 3650;
    private const LAST_DAYS = 60;

    /** Browsers believe no certificate for 399 days (CA/Browser Forum, Baseline Requirements, 6.3.2). */
    private const SERVER_DAYS = 397;
    private const SERVER_LAST_DAYS = 30;

    /**
     * An authority that begins later than that was made while the clock was wrong, and helps nobody. One that begins sooner
     * somebody may trust already: a clock was put right by a little.
     */
    private const CLOCK_SECONDS = 86400;

    /** What Debian's update-ca-certificates makes of all that the machine trusts. */
    private const TRUSTED = '/etc/ssl/certs/ca-certificates.crt';

    /** @param string $trusted a file with all that this machine trusts */
    public function __construct(private DataFolder $folder, private string $trusted = self::TRUSTED)
    {
    }

    public static function assertCanBeMade(): void
    {
        if (!extension_loaded('openssl')) {
            throw new Failure("--tls needs PHP's extension openssl, which " . PHP_BINARY . ' lacks: Debian has it in the'
                . ' package php-cli (`apt-get install php-cli`); or give --tls-certificate and --tls-key');
        }
    }

    /** What a command would do that starts a server. */
    public function told(int $now): string
    {
        $authority = $this->usable($this->folder->read(self::FILE), $now);

        return $authority === null
            ? "serve makes an authority of this user's own in {$this->folder->path}"
            : "signed by this user's own authority, {$this->folder->path}/" . self::CERTIFICATE;
    }

    /** The certificate of a server, made anew where it must be. */
    public function filesFor(Listen $listen, int $now): TlsFiles
    {
        self::assertCanBeMade();

        return $this->folder->alone(function () use ($listen, $now): TlsFiles {
            $text = $this->folder->read(self::FILE);
            $authority = $this->usable($text, $now);
            $isNew = $authority === null;
            if ($authority === null) {
                [$text, $authority] = $this->make();
            }
            // Also what somebody has deleted, or was not written before a machine stopped.
            $public = $authority->toPem();
            if ($this->folder->read(self::CERTIFICATE) !== $public) {
                $this->folder->write(self::CERTIFICATE, $public, false);
            }
            $hosts = $this->hosts($authority, $listen);
            $name = 'server-' . (LocalHosts::asked($listen) ?? 'all') . '.pem';
            $this->sign($name, $hosts, $authority, $text, $now);
            $path = "{$this->folder->path}/$name";

            $notes = [...$this->notes($hosts, $public, $isNew), ...$this->otherName($authority)];

            return new TlsFiles($path, $path, [], $notes);
        });
    }

    /** Null: there is none, or none that still helps. */
    private function usable(string $text, int $now): ?Certificate
    {
        $authority = Certificate::fromPem($text);
        $isWhole = $authority !== null && openssl_x509_check_private_key($authority->x509, $text);

        return $isWhole && $authority->daysLeft($now) > self::LAST_DAYS && $authority->from <= $now + self::CLOCK_SECONDS
            ? $authority
            : null;
    }

    /** @return array{string, Certificate} */
    private function make(): array
    {
        $machine = LocalHosts::ofMachine();
        $user = posix_getpwuid(posix_geteuid())['name'] ?? (string) posix_geteuid();
        // A common name has 64 characters at most (RFC 5280, A.1).
        $name = substr("Howdah local authority, $user on " . ($machine ?? 'this machine'), 0, 64);
        $text = Issuer::authority($name, $machine === null ? [] : [$machine], self::DAYS);
        $this->folder->write(self::FILE, $text, true);

        return [$text, Certificate::fromPem($text) ?? throw new Failure('PHP cannot read the certificate that it made')];
    }

    /** @return non-empty-list<string> that the certificate is for */
    private function hosts(Certificate $authority, Listen $listen): array
    {
        $asked = LocalHosts::asked($listen);
        if ($asked !== null && !$authority->maySignFor($asked)) {
            throw new Failure("--tls: this user's own authority signs for this machine, private addresses and names that end in"
                . " .localhost, .test, .local, .internal, .lan or .home.arpa, not for $asked: use such a name, or give a"
                . ' certificate, --tls-certificate=FILE --tls-key=FILE');
        }
        $hosts = array_filter(LocalHosts::of($listen), $authority->maySignFor(...));

        return array_values($hosts) ?: ['localhost'];
    }

    /** @param non-empty-list<string> $hosts */
    private function sign(string $name, array $hosts, Certificate $authority, string $key, int $now): void
    {
        $text = $this->folder->read($name);
        $there = Certificate::fromPem($text);
        $isGood = $there !== null && openssl_x509_check_private_key($there->x509, $text) && $there->isSignedBy($authority)
            && $there->daysLeft($now) > self::SERVER_LAST_DAYS && $there->from <= $now
            && $there->isForAll($hosts);
        if (!$isGood) {
            $days = min(self::SERVER_DAYS, $authority->daysLeft($now));
            $this->folder->write($name, Issuer::server($hosts, $days, $key), true);
        }
    }

    /**
     * An authority that was made under another name of the machine does not sign for this one, and somebody may trust it.
     *
     * @return list<string>
     */
    private function otherName(Certificate $authority): array
    {
        $machine = LocalHosts::ofMachine();

        return $machine === null || $authority->maySignFor($machine) ? [] : ["the certificate is not for $machine: this"
            . " user's own authority was made when this machine had another name. Remove {$this->folder->path}/" . self::FILE
            . ' for a new one, which has to be trusted anew'];
    }

    /**
     * @param  list<string> $hosts
     * @return list<string>
     */
    private function notes(array $hosts, string $public, bool $isNew): array
    {
        $path = escapeshellarg("{$this->folder->path}/" . self::CERTIFICATE);
        $path = preg_match('~^\'[\w./-]+\'$~D', $path) === 1 ? trim($path, "'") : $path;
        $signed = 'TLS for ' . implode(', ', $hosts) . ", signed by this user's own authority: $path"
            . ($isNew ? ' (new: nobody trusts it yet)' : '');
        if (!$isNew && str_contains((string) @file_get_contents($this->trusted), trim($public))) {
            return [$signed];
        }

        return [
            $signed,
            "this machine trusts it after: sudo install -m 644 $path /usr/local/share/ca-certificates/howdah.crt"
                . ' && sudo update-ca-certificates',
            'Chromium trusts it after: sudo apt-get install libnss3-tools; mkdir -p ~/.pki/nssdb;'
                . " certutil -d sql:\$HOME/.pki/nssdb -A -t C,, -n howdah -i $path",
            "Firefox trusts it after: find ~ -name cert9.db -execdir certutil -d sql:. -A -t C,, -n howdah -i $path \\;",
        ];
    }
}
