<?php

declare(strict_types=1);

namespace Howdah\Cli\Tls;

use Howdah\Cli\Failure;
use Howdah\Cli\RuntimeFolder;
use OpenSSLAsymmetricKey;
use OpenSSLCertificate;
use OpenSSLCertificateSigningRequest;

/** Makes keys and certificates with PHP's openssl extension, each with its key in one text (PEM). */
final readonly class Issuer
{
    /** P-256: every client has it. */
    private const CURVE = 'prime256v1';

    /**
     * What an authority may sign for beside the machine's own name: what no public authority signs for. Who steals its key is
     * no bank with it.
     */
    private const DOMAINS = ['localhost', 'test', 'local', 'internal', 'lan', 'home.arpa'];
    private const RANGES = [
        '127.0.0.0/255.0.0.0', '10.0.0.0/255.0.0.0', '172.16.0.0/255.240.0.0', '192.168.0.0/255.255.0.0',
        '169.254.0.0/255.255.0.0', '::1/ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', 'fc00::/fe00::', 'fe80::/ffc0::',
    ];

    /** @param list<string> $domains more that it may sign for, with all names below them */
    public static function authority(string $name, array $domains, int $days): string
    {
        $permitted = [
            ...array_map(static fn (string $domain): string => "permitted;DNS:$domain", [...self::DOMAINS, ...$domains]),
            ...array_map(static fn (string $range): string => "permitted;IP:$range", self::RANGES),
        ];

        return self::issue($name, $days, [
            'basicConstraints = critical, CA:TRUE, pathlen:0',
            'keyUsage = critical, keyCertSign, cRLSign',
            'subjectKeyIdentifier = hash',
            'nameConstraints = critical, ' . implode(', ', $permitted),
        ]);
    }

    /**
     * For a server.
     *
     * @param non-empty-list<string> $hosts     names and addresses
     * @param string                 $authority certificate and key
     */
    public static function server(array $hosts, int $days, string $authority): string
    {
        $names = array_map(
            static fn (string $host): string => (Certificate::isAddress($host) ? 'IP:' : 'DNS:') . $host,
            $hosts,
        );

        return self::issue('Howdah on this machine', $days, [
            'basicConstraints = critical, CA:FALSE',
            'keyUsage = critical, digitalSignature',
            'extendedKeyUsage = serverAuth',
            'subjectKeyIdentifier = hash',
            'authorityKeyIdentifier = keyid',
            'subjectAltName = ' . implode(', ', $names),
        ], $authority);
    }

    /**
     * @param list<string> $extensions lines of x509v3_config(5)
     * @param string|null  $authority  certificate and key; null: it signs itself
     */
    private static function issue(string $name, int $days, array $extensions, ?string $authority = null): string
    {
        $folder = new RuntimeFolder();
        try {
            // All of it is ours: the machine's openssl.cnf may say anything.
            // Without RANDFILE, PHP leaves a file in the user's home (php_openssl_write_rand_file(), ext/openssl/openssl.c,
            // 8.2); and that of 8.4 warns where it is no regular file.
            $random = '"' . addcslashes("{$folder->path}/random", '"\\') . '"';
            $folder->write('openssl.cnf', "RANDFILE = $random\n[req]\ndistinguished_name = name\n[name]\n[extensions]\n"
                . implode("\n", $extensions) . "\n");
            $options = [
                'config' => "{$folder->path}/openssl.cnf",
                'x509_extensions' => 'extensions',
                'digest_alg' => 'sha256',
                // For every type, whatever it means there: its default is in the file that is not read.
                'private_key_bits' => 2048,
                'private_key_type' => OPENSSL_KEYTYPE_EC,
                'curve_name' => self::CURVE,
            ];
            [$key, $text] = self::key($options);
            $request = openssl_csr_new(['organizationName' => 'Howdah', 'commonName' => $name], $key, $options);
            if (!$request instanceof OpenSSLCertificateSigningRequest) {
                throw self::failure();
            }
            $serial = random_int(1, PHP_INT_MAX);
            $certificate = openssl_csr_sign($request, $authority, $authority ?? $text, $days, $options, $serial);
            if (!$certificate instanceof OpenSSLCertificate || !openssl_x509_export($certificate, $pem)) {
                throw self::failure();
            }
            assert(is_string($pem));

            return $pem . $text;
        } finally {
            $folder->remove();
        }
    }

    /**
     * @param  array<string, int|string> $options
     * @return array{OpenSSLAsymmetricKey, string}
     */
    private static function key(array $options): array
    {
        $key = openssl_pkey_new($options);
        if ($key === false || !openssl_pkey_export($key, $text, null, $options)) {
            throw self::failure();
        }
        assert(is_string($text));

        return [$key, $text];
    }

    private static function failure(): Failure
    {
        return new Failure('PHP\'s openssl extension makes no certificate (' . (openssl_error_string() ?: 'it does not say why')
            . '): give one of your own, --tls-certificate=FILE --tls-key=FILE');
    }
}
