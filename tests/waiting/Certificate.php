<?php

declare(strict_types=1);

namespace Howdah\WaitingTests;

use OpenSSLAsymmetricKey;
use OpenSSLCertificateSigningRequest;
use RuntimeException;

/** A certificate of a server for localhost and 127.0.0.1, signed by itself, in a folder: server.crt and server.key. */
final class Certificate
{
    /** @param string $folder the files get its owner; servers refuse a key that others may read */
    public static function write(string $folder): void
    {
        $key = openssl_pkey_new(['private_key_type' => OPENSSL_KEYTYPE_EC, 'curve_name' => 'prime256v1']);
        $request = openssl_csr_new(['commonName' => 'localhost'], $key, ['digest_alg' => 'sha256']);
        if (!$request instanceof OpenSSLCertificateSigningRequest || !$key instanceof OpenSSLAsymmetricKey) {
            throw new RuntimeException('no certificate: ' . openssl_error_string());
        }
        // PHP takes extensions from a configuration file only.
        file_put_contents("$folder/openssl.cnf", "[names]\nsubjectAltName = DNS:localhost, IP:127.0.0.1\n");
        $options = ['digest_alg' => 'sha256', 'config' => "$folder/openssl.cnf", 'x509_extensions' => 'names'];
        $certificate = openssl_csr_sign($request, null, $key, 30, $options);
        if ($certificate === false) {
            throw new RuntimeException('no certificate: ' . openssl_error_string());
        }
        openssl_x509_export_to_file($certificate, "$folder/server.crt");
        openssl_pkey_export_to_file($key, "$folder/server.key");
        chmod("$folder/server.key", 0600);
        if (posix_geteuid() === 0) {
            chown("$folder/server.crt", (int) fileowner($folder));
            chown("$folder/server.key", (int) fileowner($folder));
        }
    }
}
