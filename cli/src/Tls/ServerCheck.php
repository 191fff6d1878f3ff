<?php

declare(strict_types=1);

namespace Howdah\Cli\Tls;

/**
 * Whether a server would take a certificate: OpenSSL is asked, whose settings nginx reads, too (the security level in
 * /etc/ssl/openssl.cnf; SSL_CTX_set_security_level(3)).
 */
final readonly class ServerCheck
{
    /** @return string|null why it would not, as OpenSSL says it; null: it would, or cannot be asked here */
    public static function refusal(string $certificate, string $key): ?string
    {
        $listening = @stream_socket_server('tcp://127.0.0.1:0');
        $name = $listening === false ? false : stream_socket_get_name($listening, false);
        $client = $name === false ? false : @stream_socket_client("tcp://$name", timeout: 1);
        $server = $listening === false || $client === false ? false : @stream_socket_accept($listening, 1);
        if ($server === false) {
            return null;
        }
        stream_context_set_option($server, 'ssl', 'local_cert', $certificate);
        stream_context_set_option($server, 'ssl', 'local_pk', $key);
        // Nobody speaks at the other end: with files that are right this only begins.
        stream_set_blocking($server, false);
        self::reasons(); // of before
        $is = @stream_socket_enable_crypto($server, true, STREAM_CRYPTO_METHOD_TLS_SERVER);
        $reasons = self::reasons();

        return $is === false && $reasons !== [] ? (string) preg_replace('/^.*:/', '', $reasons[0]) : null;
    }

    /**
     * What OpenSSL has kept, the oldest first; it forgets it.
     *
     * @phpstan-impure
     * @return list<string>
     */
    private static function reasons(): array
    {
        for ($reasons = []; ($reason = openssl_error_string()) !== false; $reasons[] = $reason) {
        }

        return $reasons;
    }
}
