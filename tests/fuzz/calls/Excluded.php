<?php

declare(strict_types=1);

namespace Howdah\Fuzz\Calls;

/**
 * What is never called, each with its reason. Patterns, in lower case, of "function" or "class::method".
 */
final class Excluded
{
    private const REASONS = [
        'acts on other processes' => ['posix_kill', 'pcntl_*', 'proc_nice', 'mail', 'mb_send_mail', 'imap_mail'],
        'leaves things in the kernel, or takes those of another process' => ['shm_*', 'shmop_*', 'msg_*', 'sem_*', 'ftok',
            'sysv*', 'sharedmemory*', 'syslog', 'openlog', 'closelog'],
        'reaches any memory, by design' => ['ffi*', 'dl'],
        'computes in C code for as long as a number or an object says' => ['hash_pbkdf2', 'openssl_pbkdf2', 'password_hash',
            'crypt', 'openssl_pkey_new', 'openssl_dh_compute_key', 'iterator_*', 'infiniteiterator*', 'dateperiod*',
            'array_fill', 'range', 'similar_text', 'gmp_fact', 'gmp_pow', 'gmp_binomial',
            'sodium_crypto_pwhash*',
            'imagefilter', 'imageconvolution', 'imagerotate', 'imagescale',
            'imagearc', 'imagefilledarc', 'imageellipse', 'imagefilledellipse', 'imagesetthickness',
            'jdtojewish', 'cal_*', 'jewishtojd', 'intlcalendar::add', 'intlcalendar::roll', 'intlcal_*', 'intlgregcal_*',
            'intlgregoriancalendar*', 'intlchar::enum*', 'intlchar::charfromname'],
        'waits for as long as a number says: callbacks wait here' => ['sleep', 'usleep', 'time_nanosleep', 'time_sleep_until',
            'amqpchannel::wait*', 'uv_sleep', 'pcntl_sig*wait*'],
        'is the server, not the language' => ['frankenphp_*', 'fastcgi_*', 'howdah\*', 'headers_send', 'opcache_*', 'exit',
            'die'],
        'takes the limits away by which a request ends' => ['set_time_limit', 'ini_set', 'ini_alter', 'ini_restore',
            'ini_parse_quantity', 'ignore_user_abort', 'gc_disable'],
        'reads from a person' => ['readline', 'readline_callback_*', 'fscanf'],
        'crashes php-cli, too (8.2.36)' => ['intldatepatterngenerator::__construct', 'intldatepatterngenerator::create',
            'mongodb\driver\writeconcern::__construct'],
        'is called by PHP, once' => ['*::__destruct'],
    ];

    public static function has(string $name): bool
    {
        foreach (self::REASONS as $patterns) {
            foreach ($patterns as $pattern) {
                if (fnmatch($pattern, strtolower($name), FNM_NOESCAPE)) {
                    return true;
                }
            }
        }

        return false;
    }
}
