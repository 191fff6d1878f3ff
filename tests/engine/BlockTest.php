<?php

declare(strict_types=1);

namespace Howdah\Tests\Engine;

use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;

/**
 * The probe (tests/isolation) under the chaos scheduler: every comparison is right, and with any one of these state blocks left
 * shared it is not (a wrong value, or a crash).
 */
final class BlockTest extends TestCase
{
    private const PLAIN = __DIR__ . '/../../examples/plain/public';

    /** @return list<string> */
    private static function options(int $requests): array
    {
        return [
            '--quiet',
            '--method=POST',
            '--path=/probe.php',
            '--query=id=r%d&kind=form&ms=3&waits=sleep',
            '--cookie=probe_in=cookie.r%d',
            '--header=HTTP_X_PROBE=header.r%d',
            '--content-type=application/x-www-form-urlencoded',
            '--body=field=field.r%d',
            '--expect-part="ok":true',
            '--at-once=16',
            "--requests={$requests}",
            '--chaos=3',
        ];
    }

    /** @return array<string, array{string, string}> */
    public static function modes(): array
    {
        return ['classic' => ['classic', 'probe.php'], 'worker' => ['worker', 'frankenphp-worker.php']];
    }

    #[DataProvider('modes')]
    public function testNoRequestSeesAnothersState(string $mode, string $script): void
    {
        $run = Runner::run(self::PLAIN . "/{$script}", ["--mode={$mode}", ...self::options(1000)]);
        self::assertSame(0, $run->exit, substr($run->err, 0, 4000));
        self::assertStringContainsString('1000 answers, 0 wrong', $run->err);
    }

    /** @return iterable<string, array{string}> */
    public static function blocks(): iterable
    {
        $blocks = [
            'executor_globals', 'compiler_globals', 'core_globals', 'sapi_globals', 'output_globals', 'basic_globals',
            'file_globals', 'date', 'filter_globals', 'spl_autoload_functions', 'dir_globals', 'assert_globals', 'random',
            'gc_globals', 'zend_fiber_switch_blocking', 'json', 'pcre.mdata',
        ];
        foreach ($blocks as $block) {
            yield $block => [$block];
        }
    }

    #[DataProvider('blocks')]
    public function testTheProbeNoticesWhenABlockIsShared(string $block): void
    {
        $run = Runner::run(self::PLAIN . '/probe.php', ["--without-block={$block}", ...self::options(300)]);
        self::assertNotSame(0, $run->exit, "nothing happened without {$block}");
        self::assertNotSame(2, $run->exit, 'the options were refused: ' . $run->err);
    }

    public function testABlockThatDoesNotExistCannotBeLeftOut(): void
    {
        $run = Runner::run(self::PLAIN . '/probe.php', ['--without-block=no_such_block']);
        self::assertSame(1, $run->exit);
        self::assertStringContainsString('no state block is named no_such_block', $run->err);
    }
}
