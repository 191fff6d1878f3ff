<?php

declare(strict_types=1);

namespace Howdah\HttpTests;

use PHPUnit\Framework\TestCase;

/** docs/configuration.md tells of every directive, in every context where nginx takes it, and of no other. */
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
}
