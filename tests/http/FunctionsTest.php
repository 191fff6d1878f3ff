<?php

declare(strict_types=1);

namespace Howdah\HttpTests;

use PHPUnit\Framework\Attributes\Group;

/** docs/functions.md and packages/stubs tell of all that the engine gives to PHP, as PHP itself says it, and of nothing else. */
#[Group('other')]
final class FunctionsTest extends DirectiveTestCase
{
    protected const APP = __DIR__ . '/app/nginx';

    private const DOCS = __DIR__ . '/../../docs/functions.md';
    private const STUBS = __DIR__ . '/../../packages/stubs/howdah.php';

    public function test_each_function_is_declared_and_told_of_with_its_types_and_defaults(): void
    {
        $told = self::found('/^\| `([\w\\\\]+\(.*\): \w+)` \|/m', self::DOCS);
        $signatures = self::sorted($this->given()['signatures']);

        self::assertContains('Howdah\request_variables(string ...$names): array', $signatures);
        self::assertSame($signatures, $told);
        self::assertSame($signatures, self::declared());
    }

    public function test_constants_have_their_values_and_there_is_no_class(): void
    {
        $given = $this->given();
        $told = self::pairs('/^\| `([A-Z_]+)` \| (-?\d+) \|/m', self::DOCS);
        $declared = self::pairs('/^ *const (\w+) = (.+);$/m', self::STUBS);

        self::assertCount(4, $told);
        self::assertSame($told, $given['constants']);
        self::assertSame($told, $declared);
        self::assertSame([], $given['classes']);
    }

    public function test_status_has_the_keys_and_types_that_are_told(): void
    {
        $docs = (string) file_get_contents(self::DOCS);
        preg_match_all('/^\| `(\w+)` \| (int|float|string|array) \|/m', $docs, $rows, PREG_SET_ORDER);
        $told = array_map(static fn (array $row): string => "$row[1]: $row[2]", $rows);
        $status = $this->given()['status'];
        self::assertIsArray($status);
        self::assertIsArray($status['deaths_by']);
        $typed = self::typed(...);
        // As the stub writes it: the reasons on one line, what a mode may be by name.
        $shape = preg_replace(
            ['/^deaths_by: array$/', '/^mode: string$/'],
            ['deaths_by: array{' . implode(', ', $typed($status['deaths_by'])) . '}', "mode: 'classic'|'worker'"],
            $typed($status),
        );

        self::assertSame([...$typed($status), ...$typed($status['deaths_by'])], $told);
        preg_match('/@return array\{\n(.*?)^ +\* \}/ms', (string) file_get_contents(self::STUBS), $declared);
        preg_match_all('/^ +\* +(.+),$/m', $declared[1] ?? '', $lines);
        self::assertSame($shape, $lines[1]);
    }

    public function test_settings_have_the_defaults_that_are_told(): void
    {
        $docs = (string) file_get_contents(self::DOCS);
        preg_match_all('/^\| `([a-z]+\.\w+)` \| (\d?) ?\|/m', $docs, $rows, PREG_SET_ORDER);
        $told = array_column($rows, 2, 1);
        $settings = $this->given()['settings'];
        self::assertIsArray($settings);
        ksort($told);
        ksort($settings);

        self::assertSame($told, array_map(static fn (mixed $value): string => is_string($value) ? $value : '', $settings));
    }

    public function test_what_is_said_to_be_missing_is_missing(): void
    {
        $docs = (string) file_get_contents(self::DOCS);
        preg_match_all('/`(\w+)\(\)`/', substr($docs, (int) strpos($docs, '## What is missing')), $names);
        self::assertContains('dl', $names[1]);

        self::assertSame([], $this->given(implode(',', $names[1]))['there']);
        self::assertSame(['strlen'], $this->given('strlen')['there'], 'it would be noticed');
    }

    /** @return array<mixed> */
    private function given(string $missing = ''): array
    {
        $given = json_decode($this->share('worker', '')->get("/functions?missing=$missing")->body, true);
        self::assertIsArray($given, $this->log());

        return $given;
    }

    /** @return list<string> the stub's signatures, with their namespaces */
    private static function declared(): array
    {
        $signatures = [];
        $namespace = '';
        foreach (file(self::STUBS, FILE_IGNORE_NEW_LINES) ?: [] as $line) {
            if (preg_match('/^namespace ?(\w*) \{$/', $line, $found) === 1) {
                $namespace = $found[1] === '' ? '' : "$found[1]\\";
            } elseif (preg_match('/^ *function (.*)$/', $line, $found) === 1) {
                $signatures[] = $namespace . $found[1];
            }
        }

        return self::sorted($signatures);
    }

    /** @return list<string> */
    private static function found(string $pattern, string $file): array
    {
        preg_match_all($pattern, (string) file_get_contents($file), $found);

        return self::sorted($found[1]);
    }

    /** @return array<array-key, int> */
    private static function pairs(string $pattern, string $file): array
    {
        preg_match_all($pattern, (string) file_get_contents($file), $found, PREG_SET_ORDER);

        return array_map(intval(...), array_column($found, 2, 1));
    }

    /** @return list<string> */
    private static function sorted(mixed $signatures): array
    {
        self::assertIsArray($signatures);
        $signatures = array_filter($signatures, is_string(...));
        sort($signatures);

        return $signatures;
    }

    /**
     * @param array<mixed> $values
     *
     * @return list<string> "key: type"
     */
    private static function typed(array $values): array
    {
        // JSON has 0.0 as 0.
        $type = static fn (int|string $key, mixed $value): string
            => $key === 'wait_ms' && is_int($value) ? 'float' : get_debug_type($value);

        return array_map(
            static fn (int|string $key, mixed $value): string => "$key: {$type($key, $value)}",
            array_keys($values),
            $values,
        );
    }
}
