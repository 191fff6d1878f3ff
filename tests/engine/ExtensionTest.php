<?php

declare(strict_types=1);

namespace Howdah\Tests\Engine;

use Howdah\Tests\Late;
use PHPUnit\Framework\TestCase;

/** Extensions whose state needs care of its own. */
final class ExtensionTest extends TestCase
{
    private const REQUESTS = 48;

    /** It does not register its globals, in which it keeps what it is packing. */
    public function testMsgpackPacksForManyRealmsAtOnceWhatItPacksForOne(): void
    {
        self::assertTrue(extension_loaded('msgpack'), 'php-msgpack is missing: php-memcached brings it along');
        $alone = [];
        $php = escapeshellarg(PHP_BINARY) . ' -n -d display_errors=0 -d extension=msgpack';
        $script = escapeshellarg(__DIR__ . '/scripts/msgpack.php');
        for ($number = 0; $number < self::REQUESTS; ++$number) {
            exec("$php $script $number", $alone);
        }

        $options = ['--requests=' . self::REQUESTS, '--at-once=16', '--query=n=%d', '--chaos=3'];
        $run = Runner::run('msgpack.php', $options);

        self::assertSame(self::sorted($alone), self::sorted(explode("\n", trim($run->out))), $run->err);
        self::assertStringNotContainsString('msgpack', $run->err);
    }

    public function testMsgpackNeedsItsBlock(): void
    {
        $options = ['--requests=' . self::REQUESTS, '--at-once=16', '--query=n=%d', '--chaos=3'];
        $whole = Runner::run('msgpack.php', $options);
        $without = Runner::run('msgpack.php', [...$options, '--without-block=msgpack']);

        self::assertSame(0, $whole->exit, $whole->err);
        $lines = static fn (Runner $run): array => self::sorted(explode("\n", $run->out));
        self::assertFalse($without->exit === 0 && $lines($without) === $lines($whole), 'the test does not notice');
    }

    /** Its lock is waited for, and its callbacks run, where PHP counts that signals must not interrupt. */
    public function testApcuServesManyRealmsAtOnce(): void
    {
        foreach (['--slice=10', '--chaos=3'] as $option) {
            $run = self::apcu($option);
            self::assertSame(0, $run->exit, substr($run->err, 0, 2000));
        }
    }

    public function testApcuNeedsItsBlocks(): void
    {
        foreach (['apcu', 'zend_signal_globals'] as $block) {
            try {
                $run = self::apcu('--chaos=3', "--without-block={$block}");
            } catch (Late) {
                continue; // a hang is noticed, too
            }
            self::assertNotSame(0, $run->exit, "{$block}: the test does not notice");
            self::assertStringNotContainsString('no state block is named', $run->err);
        }
    }

    private static function apcu(string ...$options): Runner
    {
        $load = extension_loaded('apcu') ? [] : ['--ini=extension=apcu'];
        $requests = ['--requests=48', '--at-once=16', '--query=n=%d', '--expect=right', '--quiet'];

        $options = [...$load, ...$requests, ...array_values($options)];

        return Runner::run('apcu.php', $options, limit: 120);
    }

    /** Where the linker and the hooks write while a realm is in place: what is private there must not take their place. */
    public function testAnExtensionThatIsLinkedLazilyWaitsLikeOthers(): void
    {
        $file = tempnam(sys_get_temp_dir(), 'howdah-lazy-');
        self::assertIsString($file);
        $extension = dirname(__DIR__, 2) . '/build/extension/lazy.so';
        $options = ["--ini=extension={$extension}", '--requests=24', '--at-once=8', '--warm=8', "--query=n=%d&file={$file}"];

        $run = Runner::run('lazy.php', $options);
        $told = file($file, FILE_IGNORE_NEW_LINES) ?: [];
        unlink($file);

        self::assertSame(0, $run->exit, $run->err);
        self::assertCount(2 * 24, $told);
        $alone = array_filter(array_keys($told), static fn (int $at): bool => $told[$at] === ($told[$at - 1] ?? ''));
        self::assertLessThan(8, count($alone), 'nobody else began or ended while they waited');
        // Its counter is in memory that it does not register: each request has the next two numbers of its realm.
        preg_match_all('/^(\d+) (\d+)$/m', $run->out, $numbers);
        self::assertCount(24, $numbers[0]);
        foreach ($numbers[1] as $at => $first) {
            self::assertSame((int) $first + 1, (int) $numbers[2][$at]);
        }
        self::assertGreaterThan(1, array_count_values($numbers[1])[1] ?? 0, 'all count in one place');
    }

    /** What a realm starts inherits no descriptor, but GPGME names those that gpg shall have by their numbers. */
    public function testGpgmeHandsItsPipesToTheProgramThatItStarts(): void
    {
        $run = self::gpgme('--query=n=%d', '--expect=number %d', '--quiet');

        self::assertSame(0, $run->exit, $run->err);
    }

    /** GPGME crashes where a read fails, and so would a worker whose client leaves. */
    public function testGpgmeOutlivesTheRequestThatIsEndedWhileItReads(): void
    {
        $run = self::gpgme('--query=n=%d&way=silent', '--request-timeout=20', '--head', '--quiet');

        self::assertSame(32, substr_count($run->out, 'Status: 504'), $run->err);
        self::assertSame(0, $run->exit, $run->err);
    }

    private static function gpgme(string ...$options): Runner
    {
        $extension = dirname(__DIR__, 2) . '/build/extension/gnupg.so';
        $options = ["--ini=extension={$extension}", '--requests=32', '--at-once=16', ...array_values($options)];

        return Runner::run('gnupg.php', $options, extensions: []);
    }

    /**
     * @param  list<string> $lines in the order in which requests finished
     * @return list<string>
     */
    private static function sorted(array $lines): array
    {
        sort($lines);

        return $lines;
    }
}
