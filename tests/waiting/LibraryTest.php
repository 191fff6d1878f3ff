<?php

declare(strict_types=1);

namespace Howdah\WaitingTests;

use Howdah\Tests\Engine\Runner;
use Howdah\WaitingTests\Component\Imap;
use Howdah\WaitingTests\Component\Snmp;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;

require_once dirname(__DIR__) . '/engine/Runner.php';

/**
 * Libraries that are not made for threads, or that take settings without a handle, used by several realms at once: all that
 * they may write to is private to each.
 */
final class LibraryTest extends TestCase
{
    private const REQUESTS = 32;

    /** Who runs alone has what comes of it right. */
    private const AT_ONCE = 8;

    /** @return iterable<string, array{string, class-string<Component>, string}> extension, component, the block's name */
    public static function libraries(): iterable
    {
        if (Extensions::hasImap()) {
            yield 'c-client' => ['imap', Imap::class, 'libc-client'];
        }
        yield 'Net-SNMP' => ['snmp', Snmp::class, 'libnetsnmp'];
    }

    /** @param class-string<Component> $component */
    #[DataProvider('libraries')]
    public function test_each_realm_has_what_it_set_and_what_it_asked_for(string $extension, string $component): void
    {
        $run = self::serve($extension, $component);

        self::assertSame(0, $run->exit, $run->err);
        self::assertSame(self::expected($extension), self::lines($run));
    }

    /** @param class-string<Component> $component */
    #[DataProvider('libraries')]
    public function test_that_is_seen_where_the_library_is_shared(string $extension, string $component, string $block): void
    {
        $run = self::serve($extension, $component, "--without-block=$block");

        self::assertStringNotContainsString('no state block is named', $run->err);
        self::assertFalse($run->exit === 0 && self::expected($extension) === self::lines($run));
    }

    /** @return iterable<string, array{string, string, string}> a mode, a check of tests/isolation, the block's name */
    public static function settings(): iterable
    {
        foreach (['classic', 'worker'] as $mode) {
            yield "OpenLDAP, $mode" => [$mode, 'ldap', 'libldap'];
            yield "unixODBC, $mode" => [$mode, 'odbc', 'libodbc'];
            yield "FreeTDS, $mode" => [$mode, 'pdo_dblib', 'libsybdb'];
            yield "libedit, $mode" => [$mode, 'readline', 'libedit'];
        }
    }

    #[DataProvider('settings')]
    public function test_what_is_set_without_a_handle_is_the_realm_s(string $mode, string $check, string $block): void
    {
        $sound = self::walk($mode, $check);
        $shared = self::walk($mode, $check, "--without-block=$block");

        self::assertSame(0, $sound->exit, substr($sound->err, 0, 4000));
        self::assertStringNotContainsString('no state block is named', $shared->err);
        self::assertNotSame(0, $shared->exit, 'nothing tells that it is shared');
    }

    /** Of the packages that CI installs. */
    public function test_image_magick_s_limits_and_registry_are_the_realm_s(): void
    {
        if (!is_file(ini_get('extension_dir') . '/imagick.so')) {
            self::expectNotToPerformAssertions();

            return;
        }
        foreach (['classic', 'worker'] as $mode) {
            $run = self::walk($mode, 'imagick', '--ini=extension=imagick');
            self::assertSame(0, $run->exit, substr($run->err, 0, 4000));
        }
    }

    /** One request for each realm: of unixODBC's cache a second one would see what the first has read, as under php-fpm. */
    private static function walk(string $mode, string $check, string ...$options): Runner
    {
        $property = dirname(__DIR__) . '/property/' . ($mode === 'worker' ? 'worker.php' : 'realm.php');

        return Runner::run($property, [
            ...Extensions::options('--ini='),
            ...array_values($options),
            "--mode=$mode",
            '--ini=ffi.enable=1',
            '--quiet',
            '--realms=16',
            '--at-once=16',
            '--requests=16',
            "--query=id=r%d&seed=1&steps=60&only=$check",
            '--expect-part="ok":true',
        ]);
    }

    /** @param class-string<Component> $component */
    private static function serve(string $extension, string $component, string ...$options): Runner
    {
        Components::folder();
        Components::need($component);

        return Runner::run(__DIR__ . "/app/libraries/$extension.php", [
            ...Extensions::options('--ini='),
            ...array_values($options),
            '--ini=display_errors=0',
            '--requests=' . self::REQUESTS,
            '--at-once=' . self::AT_ONCE,
            '--query=n=%d',
        ]);
    }

    /** @return list<string> */
    private static function expected(string $extension): array
    {
        $answer = static fn (int $number): array => match ($extension) {
            'imap' => [$number, ['one', 'two', 'three']],
            default => [array_fill(0, 3, ($number % 2 === 0 ? '' : 'STRING: ') . '"after ' . (10 + $number) . '"'), ''],
        };
        $lines = array_map(
            static fn (int $number): string => "$number: " . json_encode($answer($number)),
            range(0, self::REQUESTS - 1),
        );
        sort($lines);

        return $lines;
    }

    /** @return list<string> in no order: requests end when they do */
    private static function lines(Runner $run): array
    {
        $lines = explode("\n", trim($run->out));
        sort($lines);

        return $lines;
    }
}
