<?php

declare(strict_types=1);

namespace Howdah\HttpTests;

use OpenSSLAsymmetricKey;
use OpenSSLCertificateSigningRequest;
use PHPUnit\Framework\TestCase;

/** docs/configuration.md tells of every directive, in every context where nginx takes it, of every variable, and of no other. */
final class ConfigurationTest extends TestCase
{
    private const ROOT = __DIR__ . '/../..';

    /** @return array<string, string> the module's directives and their contexts */
    private static function directives(): array
    {
        $source = (string) file_get_contents(self::ROOT . '/nginx/module.c');
        preg_match_all('/ngx_string\("(howdah_\w+)"\),\s*((?:\w+[\s|]*)+),/', $source, $found, PREG_SET_ORDER);
        $directives = [];
        foreach ($found as [, $name, $flags]) {
            $contexts = array_keys(array_filter([
                'http' => preg_match('/ANYWHERE|NGX_HTTP_MAIN_CONF/', $flags),
                'server' => preg_match('/ANYWHERE|NGX_HTTP_SRV_CONF/', $flags),
                'location' => preg_match('/ANYWHERE|NGX_HTTP_LOC_CONF/', $flags),
                'if in location' => preg_match('/NGX_HTTP_LIF_CONF/', $flags),
            ]));
            if ($contexts !== []) {
                $directives[$name] = implode(', ', $contexts);
            }
        }
        ksort($directives);

        return $directives;
    }

    public function test_each_directive_is_told_of_with_its_context_and_an_example(): void
    {
        $text = (string) file_get_contents(self::ROOT . '/docs/configuration.md');
        $row = '/^\| `(howdah_\w+)[^|]*\| ([a-z, ]+) \|[^|]*\|[^|]*\| `(.+;)` \|$/m';
        preg_match_all($row, $text, $rows, PREG_SET_ORDER);
        $told = [];
        foreach ($rows as [, $name, $contexts, $example]) {
            $told[$name] = $contexts;
            self::assertStringContainsString($name, $example);
        }
        ksort($told);

        self::assertNotEmpty(self::directives());
        self::assertSame(self::directives(), $told);
    }

    public function test_each_variable_is_told_of_here_and_in_the_module_s_own_page(): void
    {
        $source = (string) file_get_contents(self::ROOT . '/nginx/module.c');
        $source = str_replace('HOWDAH_CPU_VARIABLE', '"howdah_cpu_ms"', $source);
        $table = substr($source, (int) strpos($source, 'add_variables('));
        preg_match_all('/\{ngx_string\("(howdah_\w+)"\), \w+,/', $table, $found);
        $names = array_map(static fn (string $name): string => '$' . preg_replace('/_$/', '_NAME', $name), $found[1]);
        sort($names);
        preg_match_all('/^\| `(\$howdah_\w+)` \|/m', (string) file_get_contents(self::ROOT . '/docs/configuration.md'), $told);
        sort($told[1]);
        $page = (string) file_get_contents(self::ROOT . '/nginx/README.md');

        self::assertContains('$howdah_cpu_ms', $names);
        self::assertSame($names, $told[1]);
        foreach ($names as $name) {
            self::assertStringContainsString("`$name`", $page);
        }
    }

    /** As it stands, but for where things are on this machine. */
    public function test_nginx_takes_the_example(): void
    {
        $folder = sys_get_temp_dir() . '/howdah-example-' . bin2hex(random_bytes(6));
        mkdir("$folder/public", 0755, true);
        touch("$folder/worker.php");
        $key = openssl_pkey_new(['private_key_type' => OPENSSL_KEYTYPE_EC, 'curve_name' => 'prime256v1']);
        self::assertInstanceOf(OpenSSLAsymmetricKey::class, $key);
        $pair = $key;
        $request = openssl_csr_new(['commonName' => 'shop.example'], $pair);
        self::assertInstanceOf(OpenSSLCertificateSigningRequest::class, $request);
        $certificate = openssl_csr_sign($request, null, $key, 1);
        self::assertNotFalse($certificate);
        openssl_x509_export_to_file($certificate, "$folder/shop.pem");
        openssl_pkey_export_to_file($key, "$folder/shop.key");
        $page = (string) file_get_contents(self::ROOT . '/docs/configuration.md');
        $found = preg_match('/^```nginx\n(.+?)^```$/ms', $page, $example);

        self::assertSame(1, $found);
        file_put_contents("$folder/nginx.conf", "pid $folder/pid;\n" . strtr($example[1], [
            '/usr/local/lib/howdah/' => realpath(self::ROOT . '/build') . '/',
            '/etc/ssl/' => "$folder/",
            '/srv/shop' => $folder,
            'listen 443 ' => 'listen 127.0.0.1:' . Server::freePort() . ' ',
        ]));
        exec('nginx -t -e stderr -c ' . escapeshellarg("$folder/nginx.conf") . ' 2>&1', $said, $status);
        exec('rm -rf ' . escapeshellarg($folder));

        self::assertSame(0, $status, implode("\n", $said));
    }
}
