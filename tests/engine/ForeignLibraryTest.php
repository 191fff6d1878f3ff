<?php

declare(strict_types=1);

namespace Howdah\Tests\Engine;

use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;

/**
 * Libraries that scripts load by FFI. PHP unloads one with the last object that names it, while threads that it has started may
 * run on: they would crash the worker, with all of its requests.
 */
final class ForeignLibraryTest extends TestCase
{
    #[TestWith(['classic'], 'classic')]
    #[TestWith(['worker'], 'worker')]
    public function testALibraryStaysWhenTheRequestThatLoadedItLetsItGo(string $mode): void
    {
        $options = ['--ini=ffi.enable=1', '--realms=1', '--at-once=1', '--requests=3', "--mode=$mode"];
        $script = $mode === 'worker' ? 'foreign-worker.php' : 'foreign.php';
        $run = Runner::run($script, [...$options, '--query=load=1', '--expect=loaded'], extensions: ['ffi']);

        self::assertSame([0, "howdah-run: 3 answers, 0 wrong\n"], [$run->exit, $run->err]);
    }
}
