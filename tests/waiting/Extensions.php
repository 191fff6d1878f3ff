<?php

declare(strict_types=1);

namespace Howdah\WaitingTests;

/**
 * Extensions of the distribution that only these tests load: packaging/deps installs their packages and disables them, so that
 * all other tests, PHP's own among them, run with the extensions that they were written for.
 */
final class Extensions
{
    private const NAMES = ['apcu', 'imap', 'ldap', 'odbc', 'pdo_dblib', 'pdo_odbc', 'snmp', 'soap'];

    /** Since PHP 8.4 ext/imap is PECL's, and Debian 13 has no package of it. */
    public static function hasImap(): bool
    {
        return PHP_VERSION_ID < 80400;
    }

    /** @return list<string> options that load those which php.ini does not; $option is `-d` or `--ini=` */
    public static function options(string $option): array
    {
        $names = array_filter(self::NAMES, static fn (string $name): bool => $name !== 'imap' || self::hasImap());
        $missing = array_filter($names, static fn (string $name): bool => !extension_loaded($name));

        return array_map(static fn (string $name): string => "{$option}extension=$name", array_values($missing));
    }
}
