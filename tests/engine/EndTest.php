<?php

declare(strict_types=1);

namespace Howdah\Tests\Engine;

use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;

/** A library that ends the process (tests/engine/calls/ends.c) ends all requests: never silently, and never as if all were well. */
final class EndTest extends TestCase
{
    private const LIBRARY = __DIR__ . '/../../build/calls.so';

    /** EX_SOFTWARE. 0 would be success, and 2 keeps nginx from starting another worker. */
    private const STATUS = 70;

    #[TestWith(['exit', 0, 'calls.so called exit(0)'], 'exit, 0')]
    #[TestWith(['exit', 2, 'calls.so called exit(2)'], 'exit, 2')]
    #[TestWith(['exit', -1, 'calls.so called exit(-1)'], 'exit, -1')]
    #[TestWith(['_exit', 0, 'calls.so called _exit(0)'], '_exit, 0')]
    #[TestWith(['_Exit', 3, 'calls.so called _exit(3)'], '_Exit, 3')]
    #[TestWith(['quick_exit', 0, 'calls.so called quick_exit(0)'], 'quick_exit, 0')]
    #[TestWith(['errx', 2, 'a library called exit(2)'], 'errx, 2')]
    #[TestWith(['pthread_exit', 0, 'calls.so called pthread_exit(0)'], 'pthread_exit, 0')]
    #[TestWith(['thread', 0, 'calls.so called exit(0), in a thread of a library'], 'thread, 0')]
    public function testTheLogSaysWhoEndedTheProcessAndWhereEachRequestWas(string $way, int $status, string $cause): void
    {
        $run = $this->end($way, $status);

        self::assertSame(self::STATUS, $run->exit, $run->err . $run->out);
        self::assertMatchesRegularExpression(
            '~howdah: crash: \S*' . preg_quote($cause, '~') . ': worker process \d+ dies with 3 requests~',
            $run->err,
        );
        self::assertMatchesRegularExpression('~realm \d+ ran GET /\?n=1: PHP was in \S+/end\.php on line \d+~', $run->err);
        self::assertStringContainsString(', in end_process()', $run->err);
        self::assertMatchesRegularExpression('~realm \d+ waited in GET /\?n=0: .*, in usleep\(\)~', $run->err);
        self::assertMatchesRegularExpression('~realm \d+ waited in GET /\?n=2: .*, in usleep\(\)~', $run->err);
    }

    /** It is not the one on which PHP runs: where PHP was says nothing. */
    #[TestWith(['crash in a thread', 'in a thread of a library (librd:main)'], 'crash in a thread')]
    #[TestWith(['crash in a look-up', "in a thread of Howdah's that looks up crash"], 'crash in a look-up')]
    public function testTheLogSaysWhichThreadHasCrashed(string $way, string $thread): void
    {
        $run = $this->end($way, 0);

        self::assertMatchesRegularExpression(
            '~crash: segmentation fault .* at address 0x10, ' . preg_quote($thread, '~') . ': worker process \d+ dies~',
            $run->err,
        );
    }

    /** Before anybody is asked, the thread looks into files of the system. */
    public function testTheLogSaysForWhomAThreadOfOursLooksAtAFile(): void
    {
        $library = dirname(__DIR__, 2) . '/build/trap.so';
        $environment = ['LD_PRELOAD' => $library, 'TRAP' => '/etc/nsswitch.conf'];

        $run = $this->end('crash in a look-up', 0, $environment);

        $thread = "in a thread of Howdah's that looks up crash: worker process \d+ dies";
        self::assertMatchesRegularExpression("~crash: segmentation fault .* at address 0x20, $thread~", $run->err);
    }

    public function testAChildThatALibraryForksEndsAsItLikes(): void
    {
        $run = $this->end('child', 7);

        self::assertSame([0, ''], [$run->exit, $run->err]);
        self::assertStringContainsString('status 7 alive', $run->out);
        self::assertSame(3, substr_count($run->out, 'alive'));
    }

    /** @param array<string, string> $environment */
    private function end(string $way, int $status, array $environment = []): Runner
    {
        return Runner::run('end.php', [
            '--requests=3',
            '--at-once=3',
            '--query=n=%d',
            '--ini=ffi.enable=1',
            '--header=HTTP_X_LIBRARY=' . realpath(self::LIBRARY),
            "--header=HTTP_X_WAY={$way}",
            "--header=HTTP_X_STATUS={$status}",
        ], environment: $environment);
    }
}
