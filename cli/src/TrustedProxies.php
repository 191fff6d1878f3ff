<?php

declare(strict_types=1);

namespace Howdah\Cli;

use Symfony\Component\Console\Command\Command;
use Symfony\Component\Console\Input\InputInterface;
use Symfony\Component\Console\Input\InputOption;

/**
 * Proxies whose word is taken for who the client is and whether it came by HTTPS.
 *
 * nginx's realip module puts the client's address in the place of the proxy's, for logs and for REMOTE_ADDR. A framework that
 * looks at REMOTE_ADDR for a proxy that it trusts then sees none, so the scheme is set here, too: HTTPS and REQUEST_SCHEME. A
 * client that is no trusted proxy can say what it likes: its headers reach the application, and change neither.
 */
final readonly class TrustedProxies
{
    private const PRIVATE = ['127.0.0.0/8', '10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '169.254.0.0/16', '::1/128',
        'fc00::/7', 'fe80::/10'];

    private const UNIX = 'unix:';

    /** @param list<string> $addresses as set_real_ip_from takes them */
    private function __construct(private array $addresses)
    {
    }

    public static function define(Command $command): void
    {
        $command->addOption('trusted-proxy', null, InputOption::VALUE_REQUIRED | InputOption::VALUE_IS_ARRAY, 'A proxy'
            . ' whose X-Forwarded-For and X-Forwarded-Proto are believed: an address, a range, `private`, or'
            . ' `unix`; may be repeated', [], ['private', 'unix']);
    }

    /** A command without the option trusts none. */
    public static function fromInput(InputInterface $input): self
    {
        $values = $input->hasOption('trusted-proxy') ? $input->getOption('trusted-proxy') : [];
        $addresses = [];
        foreach (is_array($values) ? $values : [] as $value) {
            foreach (is_string($value) ? explode(',', $value) : [] as $address) {
                array_push($addresses, ...self::addresses(trim($address)));
            }
        }

        return new self(array_values(array_unique($addresses)));
    }

    /** @return list<string> */
    private static function addresses(string $text): array
    {
        if ($text === 'private') {
            return self::PRIVATE;
        }
        if ($text === 'unix' || $text === self::UNIX) {
            return [self::UNIX];
        }
        [$address, $bits] = [...explode('/', $text, 2), null];
        $isSix = filter_var($address, FILTER_VALIDATE_IP, FILTER_FLAG_IPV6) !== false;
        $isAddress = $isSix || filter_var($address, FILTER_VALIDATE_IP, FILTER_FLAG_IPV4) !== false;
        $isBits = $bits === null || (preg_match('/^\d{1,3}$/D', $bits) === 1 && (int) $bits <= ($isSix ? 128 : 32));
        if (!$isAddress || !$isBits) {
            throw new Failure("--trusted-proxy=$text is no address: give one as 10.0.0.7, a range as 10.0.0.0/8, `private` for"
                . ' all private ranges, or `unix` for whoever connects to a Unix socket');
        }

        return [$text];
    }

    public function areTrusted(): bool
    {
        return $this->addresses !== [];
    }

    public function assertServed(Nginx $nginx): void
    {
        if ($this->addresses !== [] && !$nginx->has('http_realip_module')) {
            throw new Failure("--trusted-proxy needs nginx's realip module, which {$nginx->path} was built without: leave"
                . ' it out or install nginx of Debian');
        }
    }

    /** @return list<string> of nginx's http block */
    public function lines(): array
    {
        if ($this->addresses === []) {
            return [];
        }
        $ranges = array_diff($this->addresses, [self::UNIX]);
        $unix = in_array(self::UNIX, $this->addresses, true) ? '1' : '0';

        return [
            '# --trusted-proxy: the last address in X-Forwarded-For that is no trusted proxy is the client.',
            ...array_map(static fn (string $address): string => "set_real_ip_from $address;", $this->addresses),
            'real_ip_header X-Forwarded-For;',
            'real_ip_recursive on;',
            'geo $realip_remote_addr $howdah_proxy_range { default 0; '
                . implode(' ', array_map(static fn (string $range): string => "$range 1;", $ranges)) . ' }',
            'map $realip_remote_addr $howdah_from_proxy { "unix:" ' . $unix . '; default $howdah_proxy_range; }',
            'map "$howdah_from_proxy $howdah_forwarded_scheme" $howdah_proxy_https { "1 https" on; default $https; }',
            'map $howdah_proxy_https $howdah_proxy_scheme { on https; default http; }',
            'howdah_param HTTPS $howdah_proxy_https if_not_empty;',
            'howdah_param REQUEST_SCHEME $howdah_proxy_scheme;',
        ];
    }
}
