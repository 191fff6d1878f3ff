<?php

/**
 * Recursion through C code ends one request, wherever on the stack its frames come to lie.
 */

declare(strict_types=1);

namespace Howdah\Tests\Engine;

use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;

final class RecursionTest extends TestCase
{
    /** Of 16 bytes to 4,096, in steps of 16. */
    private const SIZES = 256;

    /** @return iterable<string, array{string, string}> */
    public static function places(): iterable
    {
        yield 'classic' => ['classic', 'script'];
        yield 'worker' => ['worker', 'script'];
        yield 'classic, in a Fiber' => ['classic', 'fiber'];
        yield 'worker, in a Fiber' => ['worker', 'fiber'];
    }

    #[DataProvider('places')]
    public function testFramesOfEverySizeEndOneRequest(string $mode, string $place): void
    {
        $run = Runner::run($mode === 'worker' ? 'frames-worker.php' : 'frames.php', [
            "--mode={$mode}", '--quiet', '--requests=' . 4 * self::SIZES, '--at-once=8',
            "--query=in={$place}&n=%d", '--expect-part=ok',
            '--ini=extension=' . realpath(__DIR__ . '/../../build/extension/frames.so'),
            // PHP 8.3 and later would throw an Error before the stack is used up.
            '--ini=zend.max_allowed_stack_size=-1',
        ], extensions: []);
        self::assertSame(0, $run->exit, substr($run->err, -2000));
        self::assertSame(self::SIZES, substr_count($run->err, 'Maximum call stack size'), substr($run->err, -2000));
    }
}
