<?php

declare(strict_types=1);

namespace Howdah\Cli\Tls;

use Howdah\Cli\Listen;

/** What this machine is called by whoever asks a server on it. */
final readonly class LocalHosts
{
    private const ALWAYS = ['localhost', '127.0.0.1', '::1'];

    /** A name that can be in a certificate, and in OpenSSL's configuration. */
    private const NAME = '/^[A-Za-z0-9_]([A-Za-z0-9_.-]{0,250}[A-Za-z0-9_])?$/D';

    /** As the machine calls itself; null: by no name that others could use. */
    public static function ofMachine(): ?string
    {
        $name = (string) gethostname();

        return preg_match(self::NAME, $name) === 1 && !Certificate::isAddress($name) ? strtolower($name) : null;
    }

    /** The one that was asked for; null: all of them, or a socket. */
    public static function asked(Listen $listen): ?string
    {
        $host = $listen->host();
        // "0" and "0:0::0" are all addresses, too.
        $address = match (true) {
            $host === '' => '',
            Certificate::isAddress($host) => inet_ntop((string) inet_pton($host)),
            default => gethostbyname($host),
        };

        return in_array($address, ['', '0.0.0.0', '::'], true) ? null : strtolower($host);
    }

    /**
     * Those of a server, whoever may sign for them.
     *
     * @return non-empty-list<string>
     */
    public static function of(Listen $listen): array
    {
        $asked = self::asked($listen);
        $machine = self::ofMachine();

        return array_values(array_unique([
            ...self::ALWAYS,
            ...($asked === null ? self::addresses() : [$asked]),
            ...($machine === null ? [] : [$machine]),
        ]));
    }

    /**
     * By which others reach a server that listens on all of them, as a phone does in the same network.
     *
     * @return list<string>
     */
    private static function addresses(): array
    {
        $found = [];
        /** @var array<string, array{up: bool, unicast?: list<array{address?: string}>}> $interfaces */
        $interfaces = net_get_interfaces() ?: [];
        foreach ($interfaces as $interface) {
            foreach ($interface['up'] ? $interface['unicast'] ?? [] : [] as $unicast) {
                $address = $unicast['address'] ?? '';
                // Those of a link alone need a zone, which no URL has.
                if (Certificate::isAddress($address) && !str_starts_with(strtolower($address), 'fe80:')) {
                    $found[] = $address;
                }
            }
        }
        sort($found);

        return array_values(array_diff($found, self::ALWAYS));
    }
}
