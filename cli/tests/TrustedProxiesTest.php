<?php

declare(strict_types=1);

namespace Howdah\Cli\Tests;

use PHPUnit\Framework\Attributes\TestWith;

/** Who the client is and how it came, as PHP sees it (RoutingNginx: over a Unix socket). */
final class TrustedProxiesTest extends CliTestCase
{
    private const FORWARDED = ['X-Forwarded-For: 198.51.100.9, 203.0.113.7, 10.1.2.3', 'X-Forwarded-Proto: HTTPS'];

    public function test_only_a_trusted_proxy_says_who_the_client_is(): void
    {
        $ask = fn (string $options): string => $this->seen($options, [self::FORWARDED])[0];

        self::assertSame('unix: - http', $ask(''));
        self::assertSame('unix: - http', $ask('--trusted-proxy=10.0.0.0/8'));
        self::assertSame('10.1.2.3 on https', $ask('--trusted-proxy=unix'));
        self::assertSame('203.0.113.7 on https', $ask('--trusted-proxy=unix,private'));
    }

    public function test_only_a_trusted_proxys_own_word_for_https_changes_the_scheme(): void
    {
        $expected = ['203.0.113.7 - http', 'unix: - http', 'unix: - http', 'unix: - http', 'unix: on https'];
        self::assertSame($expected, $this->seen('--trusted-proxy=unix', [
            ['X-Forwarded-For: 203.0.113.7'],
            ['X-Forwarded-Proto: http'],
            ['X-Forwarded-Proto: httpsome'],
            ['X-Forwarded-Proto: https, http'],
            ['X-Forwarded-Proto: http, https'],
        ]));
    }

    #[TestWith(['10.0.0.0/33'], 'too many bits')]
    #[TestWith(['::1/129'], 'too many bits of IPv6')]
    #[TestWith(['proxy.example'], 'a name')]
    #[TestWith(['10.0.0.1;'], 'a semicolon')]
    #[TestWith(['0.0.0.0/0 1; evil'], 'a directive')]
    #[TestWith([''], 'nothing')]
    public function test_what_is_no_address_is_refused(string $address): void
    {
        $message = $this->failure(fn () => $this->options('"--trusted-proxy=' . $address . '"'));

        self::assertStringContainsString("--trusted-proxy=$address is no address: give one as 10.0.0.7", $message);
    }

    /**
     * @param  list<list<string>> $requests their headers
     * @return list<string>
     */
    private function seen(string $options, array $requests): array
    {
        $root = $this->project(['index.php' => '<?php echo "$_SERVER[REMOTE_ADDR] ", $_SERVER["HTTPS"] ?? "-", " ",'
            . ' $_SERVER["REQUEST_SCHEME"];']);
        $socket = dirname($root) . '/test.sock';
        $options = $this->options("--listen=unix:$socket --workers=1 --no-access-log $options", $root);
        $nginx = new RoutingNginx($options, $socket);
        try {
            return array_map(static fn (array $headers): string => $nginx->get('/', 'GET', $headers)[1], $requests);
        } finally {
            $nginx->stop();
        }
    }
}
