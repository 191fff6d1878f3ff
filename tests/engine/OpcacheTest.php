<?php

declare(strict_types=1);

namespace Howdah\Tests\Engine;

use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;

final class OpcacheTest extends TestCase
{
    /** For what scripts write: suites run side by side. */
    private string $folder;

    protected function setUp(): void
    {
        $this->folder = sys_get_temp_dir() . '/howdah-opcache-' . bin2hex(random_bytes(6));
        mkdir($this->folder);
    }

    protected function tearDown(): void
    {
        exec('rm -rf ' . escapeshellarg($this->folder));
    }

    public function testAResetUnderLoadTakesNobodysCodeAway(): void
    {
        $options = ['--quiet', '--requests=5000', '--at-once=16', '--query=n=%d', '--expect=ok'];
        $run = $this->runScript('reset.php', [...$options, '--ini=opcache.file_update_protection=0']);
        self::assertSame(0, $run->exit, substr($run->err, 0, 2000));
    }

    public function testMemoryThatIsFullTakesNobodysCodeAway(): void
    {
        $run = $this->runScript('full.php', [
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
        $folder = (glob("{$this->folder}/howdah-reset-*") ?: [''])[0];
        self::assertGreaterThanOrEqual(1, (int) file_get_contents("{$folder}/restarts"), 'it was never full');
    }

    /** Each compiles in the memory that the one before has used: without a JIT nothing goes back to the kernel in between. */
    public function testARequestThatCompilesKeepsWhatItHasUsedForTheNextOne(): void
    {
        $run = $this->runScript('compiles-worker.php', [
            '--mode=worker',
            '--realms=1',
            '--requests=20',
            '--ini=opcache.jit=disable',
            '--ini=opcache.file_update_protection=0',
        ]);
        self::assertSame(20, preg_match_all('/^compiled with (\d+)$/m', $run->out, $pages), $run->out . $run->err);
        // One at most, and some 20 each time where it goes back.
        self::assertLessThan(100, array_sum(array_map(intval(...), array_slice($pages[1], 1))), $run->out);
    }

    public function testAResetTakesNobodysPatternAway(): void
    {
        foreach ([2, 3, 16] as $atOnce) {
            $options = ['--quiet', '--requests=2000', "--at-once={$atOnce}", '--query=n=%d', '--expect=ok'];
            $run = $this->runScript('patterns.php', [...$options, '--ini=opcache.file_update_protection=0']);
            self::assertSame(0, $run->exit, substr($run->err, 0, 2000));
        }
    }

    public function testMemoryThatOneRequestProtectsFromAnotherIsRefused(): void
    {
        $run = Runner::run('echo.php', ['--ini=opcache.protect_memory=1']);
        self::assertSame(1, $run->exit);
        self::assertStringContainsString('opcache.protect_memory=1 is not supported', $run->err);
    }

    /** @return iterable<string, array{string, string}> */
    public static function includes(): iterable
    {
        foreach (['classic', 'worker'] as $mode) {
            yield "include, {$mode}" => [$mode, 'include'];
            yield "include_once, {$mode}" => [$mode, 'include_once'];
        }
    }

    #[DataProvider('includes')]
    public function testAnApplicationIsNotGivenAnothersFile(string $mode, string $kind): void
    {
        $run = $this->two($mode, 'optional', "kind={$kind}");
        self::assertSame(0, $run->exit, $run->err);
        self::assertStringContainsString('application 0 got "of application 0"', $run->out);
        self::assertStringContainsString('application 1 got false', $run->out);
    }

    /** @return iterable<string, array{string, string, string}> */
    public static function compilations(): iterable
    {
        foreach (['classic', 'worker'] as $mode) {
            foreach (['lock', 'socket', 'time'] as $kind) {
                yield "{$kind}, error handler, {$mode}" => [$mode, $kind, 'error handler'];
                yield "{$kind}, stream wrapper, {$mode}" => [$mode, $kind, 'stream wrapper'];
            }
            yield "lock, opcache_compile_file, {$mode}" => [$mode, 'lock', 'opcache_compile_file'];
        }
    }

    /** A neighbour has it, and waits, too. */
    #[DataProvider('compilations')]
    public function testCodeInsideACompilationWaitsForANeighbour(string $mode, string $kind, string $in): void
    {
        $run = $this->two($mode, 'compiling', "kind={$kind}&in=" . urlencode($in), '--expect=compiled');
        self::assertSame(0, $run->exit, $run->err);
    }

    public function testARequestCanBeEndedInsideACompilation(): void
    {
        foreach (['error+handler', 'stream+wrapper'] as $in) {
            $run = $this->two('classic', 'compiling', "kind=forever&in={$in}", '--head', '--request-timeout=3000');
            self::assertSame(1, substr_count($run->out, 'compiled'), $run->out . $run->err);
            self::assertSame(1, substr_count($run->out, 'Status: 504'), $run->out . $run->err);
        }
    }

    private function two(string $mode, string $script, string $query, string ...$options): Runner
    {
        $options = [...array_values($options), "--mode={$mode}", '--requests=2', '--at-once=2'];
        $options[] = "--query=n=%d&script={$script}&{$query}";
        $script = $mode === 'worker' ? 'required-worker' : $script;

        // Two that wait for each other do so for ever.
        return $this->runScript("{$script}.php", $options, 300);
    }

    /**
     * @param list<string> $options
     */
    private function runScript(string $script, array $options, int $limit = 600): Runner
    {
        return Runner::run($script, $options, environment: ['TMPDIR' => $this->folder], limit: $limit);
    }
}
