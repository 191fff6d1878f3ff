<?php

declare(strict_types=1);

namespace Howdah\Tests\Engine;

use PHPUnit\Framework\TestCase;

/** Variables of the thread that a realm carries (engine/state/thread.c). */
final class ThreadLocalTest extends TestCase
{
    /** The realm that used the library first took the value along, which the library computes once for a thread. */
    public function testAValueThatALibraryComputesOnceIsThereForAllRealms(): void
    {
        $options = ['--ini=ffi.enable=1', '--realms=8', '--at-once=8', '--requests=16', '--query=n=%d', '--quiet'];
        $run = Runner::run('grpc.php', [...$options, '--expect=done']);

        self::assertSame("howdah-run: 16 answers, 0 wrong\n", $run->err);
        self::assertSame(0, $run->exit);
    }
}
