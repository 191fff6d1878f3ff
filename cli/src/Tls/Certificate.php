<?php

declare(strict_types=1);

namespace Howdah\Cli\Tls;

use Howdah\Cli\Failure;
use OpenSSLCertificate;

/** An X.509 certificate, read. */
final readonly class Certificate
{
    private const DAY = 86400;

    /**
     * @param list<string> $names that it is for: names of hosts and addresses (subjectAltName)
     * @param int          $from  Unix time
     * @param int          $until Unix time
     */
    private function __construct(
        public OpenSSLCertificate $x509,
        public array $names,
        public int $from,
        public int $until,
        private string $constraints,
    ) {
    }

    /** The first one in a text. Null: there is none. */
    public static function fromPem(string $pem): ?self
    {
        $x509 = str_contains($pem, '-----BEGIN ') ? @openssl_x509_read($pem) : false;
        $fields = $x509 === false ? false : openssl_x509_parse($x509);
        if ($x509 === false || $fields === false) {
            return null;
        }
        $extensions = $fields['extensions'] ?? null;
        $text = static function (string $name) use ($extensions): string {
            $value = is_array($extensions) ? $extensions[$name] ?? '' : '';

            return is_string($value) ? $value : '';
        };
        preg_match_all('/(?:DNS|IP Address):([^\s,]+)/', $text('subjectAltName'), $names);
        $time = static fn (mixed $value): int => is_int($value) ? $value : 0;

        return new self(
            $x509,
            array_map(self::plain(...), $names[1]),
            $time($fields['validFrom_time_t'] ?? 0),
            $time($fields['validTo_time_t'] ?? 0),
            $text('nameConstraints'),
        );
    }

    /** Without its key. */
    public function toPem(): string
    {
        if (!openssl_x509_export($this->x509, $pem) || !is_string($pem)) {
            throw new Failure('PHP\'s openssl extension cannot write a certificate that it has read: '
                . (openssl_error_string() ?: 'it does not say why'));
        }

        return $pem;
    }

    /** Whole days that are left; less than 0: it has expired. */
    public function daysLeft(int $now): int
    {
        return (int) floor(($this->until - $now) / self::DAY);
    }

    public function isSignedBy(self $authority): bool
    {
        $key = openssl_pkey_get_public($authority->x509);

        return $key !== false && openssl_x509_verify($this->x509, $key) === 1;
    }

    /** Whether a client that asks for a host is content (RFC 6125, 6.4). */
    public function isFor(string $host): bool
    {
        $host = self::plain($host);
        $dot = strpos($host, '.');
        $wildcard = $dot === false || self::isAddress($host) ? null : '*' . substr($host, $dot);

        return in_array($host, $this->names, true) || ($wildcard !== null && in_array($wildcard, $this->names, true));
    }

    /**
     * Whether it is for these hosts, and no others.
     *
     * @param list<string> $hosts
     */
    public function isForAll(array $hosts): bool
    {
        $hosts = array_map(self::plain(...), $hosts);

        return array_diff($hosts, $this->names) === [] && array_diff($this->names, $hosts) === [];
    }

    /** Whether, as an authority, it may sign for a host (RFC 5280, 4.2.1.10: nameConstraints). */
    public function maySignFor(string $host): bool
    {
        $host = self::plain($host);
        if (!str_contains($this->constraints, 'Permitted:')) {
            return true;
        }
        if (!self::isAddress($host)) {
            preg_match_all('/DNS:(\S+)/', $this->constraints, $names);

            return array_filter($names[1], static fn (string $name): bool => str_ends_with(".$host", ".$name")) !== [];
        }
        preg_match_all('~IP:([\dA-Fa-f.:]+)/([\dA-Fa-f.:]+)~', $this->constraints, $ranges, PREG_SET_ORDER);
        $bytes = (string) inet_pton($host);
        foreach ($ranges as [, $address, $mask]) {
            $mask = (string) @inet_pton($mask);
            if (strlen($mask) === strlen($bytes) && ($bytes & $mask) === (string) @inet_pton($address)) {
                return true;
            }
        }

        return false;
    }

    public static function isAddress(string $host): bool
    {
        return filter_var($host, FILTER_VALIDATE_IP) !== false;
    }

    /** Of several ways to write a host, one. */
    private static function plain(string $host): string
    {
        return self::isAddress($host) ? (string) inet_ntop((string) inet_pton($host)) : strtolower($host);
    }
}
