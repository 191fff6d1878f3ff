<?php

declare(strict_types=1);

namespace Howdah\Tests\Engine;

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
        for ($number = 0; $number < self::REQUESTS; ++$number) {
            exec(escapeshellarg(PHP_BINARY) . ' ' . escapeshellarg(__DIR__ . '/scripts/msgpack.php') . " $number", $alone);
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
