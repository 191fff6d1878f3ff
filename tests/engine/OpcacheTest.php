<?php

declare(strict_types=1);

namespace Howdah\Tests\Engine;

use PHPUnit\Framework\TestCase;

final class OpcacheTest extends TestCase
{
    protected function tearDown(): void
    {
        foreach (glob(sys_get_temp_dir() . '/howdah-reset-*') ?: [] as $folder) {
            array_map(unlink(...), glob("{$folder}/*") ?: []);
            rmdir($folder);
        }
    }

    public function testAResetUnderLoadTakesNobodysCodeAway(): void
    {
        $options = ['--quiet', '--requests=5000', '--at-once=16', '--query=n=%d', '--expect=ok'];
        $run = Runner::run('reset.php', [...$options, '--ini=opcache.file_update_protection=0']);
        self::assertSame(0, $run->exit, substr($run->err, 0, 2000));
    }

    public function testMemoryThatIsFullTakesNobodysCodeAway(): void
    {
        $run = Runner::run('full.php', [
            '--quiet',
            '--requests=1500',
            '--at-once=16',
            '--query=n=%d',
            '--expect=ok',
            '--ini=opcache.memory_consumption=8',
            '--ini=opcache.interned_strings_buffer=1',
            '--ini=opcache.max_wasted_percentage=1',
            '--ini=opcache.file_update_protection=0',
            '--ini=opcache.revalidate_freq=0',
        ]);
        self::assertSame(0, $run->exit, substr($run->err, 0, 2000));
        $folder = (glob(sys_get_temp_dir() . '/howdah-reset-*') ?: [''])[0];
        self::assertGreaterThanOrEqual(1, (int) file_get_contents("{$folder}/restarts"), 'it was never full');
    }

    public function testAResetTakesNobodysPatternAway(): void
    {
        foreach ([2, 3, 16] as $atOnce) {
            $options = ['--quiet', '--requests=2000', "--at-once={$atOnce}", '--query=n=%d', '--expect=ok'];
            $run = Runner::run('patterns.php', [...$options, '--ini=opcache.file_update_protection=0']);
            self::assertSame(0, $run->exit, substr($run->err, 0, 2000));
        }
    }

    public function testNothingParksInsideOpcacheCompileFile(): void
    {
        $run = Runner::run('compile-file.php', ['--expect=kept', '--requests=100', '--at-once=16', '--query=n=%d', '--quiet']);
        self::assertSame(0, $run->exit, $run->err);
    }
}
