<?php

declare(strict_types=1);

namespace Howdah\Tests\Engine;

use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;

final class WorkerTest extends TestCase
{
    private const WORKER = ['--mode=worker', '--ini=display_errors=0', '--ini=memory_limit=64M', '--head'];

    public function testTheScriptBootsOnceAndServesManyRequests(): void
    {
        $run = Runner::run('worker.php', [...self::WORKER, '--requests=3']);
        self::assertSame(0, $run->exit, $run->err);
        foreach ([1, 2, 3] as $number) {
            self::assertStringContainsString("served {$number} shutdown", $run->out);
        }
        self::assertSame(1, substr_count($run->err, 'script ends'), 'the boot\'s shutdown function runs once, at the end');
    }

    public function testTheScriptKnowsThatItIsAWorkerWhileItBootsAndLater(): void
    {
        $run = Runner::run('worker.php', [...self::WORKER, '--query=do=boot']);
        self::assertStringContainsString('{"worker":"1","method":"GET","served":1,"now":"1"}', $run->out);
    }

    /** It has been proven with two releases of PHP (engine/state/version.h). */
    public function testRewindIsRefusedWhereItIsNotProven(): void
    {
        $run = Runner::run('worker.php', [...self::WORKER, '--rewind']);
        $proven = in_array(intdiv(PHP_VERSION_ID, 100), [802, 804], true);
        self::assertSame($proven, $run->exit === 0, $run->err);
        self::assertSame(!$proven, str_contains($run->err, 'rewind has been proven with PHP 8.2 and 8.4'), $run->err);
    }

    /**
     * @return array<string, array{string, string, string}>
     */
    public static function endings(): array
    {
        return [
            'exit' => ['exit', 'Status: 200', 'left'],
            'an uncaught exception' => ['throw', 'Status: 500', 'nobody catches this'],
            'a fatal error' => ['fatal', 'Status: 500', 'Cannot instantiate abstract class'],
            'memory exhaustion' => ['memory', 'Status: 500', 'Allowed memory size'],
        ];
    }

    #[DataProvider('endings')]
    public function testARequestThatEndsItsScriptEndsAlone(string $how, string $status, string $trace): void
    {
        $run = Runner::run('worker.php', [...self::WORKER, '--requests=5', '--at-once=1', '--memory', "--query=do={$how}"]);
        self::assertSame(0, $run->exit, $run->err);
        self::assertSame(5, substr_count($run->out, $status), $run->out . $run->err);
        self::assertStringContainsString($trace, $run->out . $run->err);
        self::assertSame(5, substr_count($run->out, ' shutdown'), 'the request\'s shutdown functions have run');
        self::assertSame(5, $run->figure('births'), 'the realm is replaced each time');
    }

    public function testARequestCannotAskForAnother(): void
    {
        $run = Runner::run('worker.php', [...self::WORKER, '--query=do=nested']);
        self::assertStringContainsString('called while handling a request', $run->out);
    }

    public function testASessionIsNotSeenByTheNextRequestOfTheRealm(): void
    {
        $run = Runner::run('worker.php', [...self::WORKER, '--realms=1', '--requests=6', '--query=do=session&n=%d']);
        self::assertSame(0, $run->exit, $run->err);
        self::assertStringNotContainsString('LEAK', $run->out);
        self::assertSame(3, substr_count($run->out, 'none started'));
        self::assertSame(3, substr_count($run->out, 'none no id'));
    }

    public function testOutputBuffersThatWereLeftOpenAreSent(): void
    {
        $run = Runner::run('worker.php', [...self::WORKER, '--realms=1', '--requests=2', '--query=do=buffers']);
        self::assertSame(2, substr_count($run->out, 'open shutdown'), $run->out);
    }

    public function testAScriptThatEndsDuringBootIsAnswered500AndNamed(): void
    {
        $run = Runner::run('classic.php', [...self::WORKER, '--requests=3', '--query=n=%d']);
        self::assertSame(0, $run->exit, $run->err);
        self::assertSame(3, substr_count($run->out, 'Status: 500'));
        self::assertStringContainsString('classic.php ended during boot', $run->err);
        self::assertStringContainsString('--mode=classic', $run->err);
    }

    public function testInClassicModeTheFunctionSaysSo(): void
    {
        $run = Runner::run('worker.php', ['--head', '--ini=display_errors=0']);
        self::assertStringContainsString('Status: 500', $run->out);
        self::assertStringContainsString('called while not in worker mode', $run->err);
    }

    /** As auto_globals_jit has it: made for code that names them, and from then on right in each request of the realm. */
    public function testSuperglobalsThatNobodyNamesAreNotMade(): void
    {
        $options = [...self::WORKER, '--realms=1', '--requests=3', '--at-once=1'];
        $never = Runner::run('superglobals-worker.php', [...$options, '--query=do=%d']);
        $named = Runner::run('superglobals-worker.php', [...$options, '--query=do=named&n=%d']);

        self::assertSame([0, 0], [$never->exit, $named->exit], $never->err . $named->err);
        self::assertSame(3, substr_count($never->out, '[not there not there not asked GET do='), $never->out);
        $queries = [];
        foreach (explode("\n", str_replace('[', "\n[", $named->out)) as $line) {
            if (preg_match('/^\[there not there do=named&n=(\d) GET do=named&n=(\d) NULL\]/', $line, $match) === 1) {
                self::assertSame($match[1], $match[2]);
                $queries[] = $match[1];
            }
        }
        self::assertCount(3, array_unique($queries), $named->out);
    }

    /** For code that calls them where they are there. */
    #[TestWith(['classic'], 'classic mode')]
    #[TestWith(['worker'], 'worker mode')]
    public function testFrankenPhpsFunctionsAreThere(string $mode): void
    {
        $run = Runner::run('frankenphp.php', ["--mode=$mode", '--header=HTTP_X_TEST=here'], extensions: []);

        self::assertSame(0, $run->exit, $run->err);
        $answer = ['request' => 'here', 'response' => 'yes', 'json' => true, 'caught' => 'DomainException', 'mercure' => false];
        self::assertSame($answer, json_decode($run->out, true), $run->out . $run->err);
        $log = [
            '[notice] plain', '[debug] looked closely', '[notice] said {"user":{"name":"Zoë","id":7},"path":"/a"}',
            "[warning] warned {\"bad \u{fffd}\":0,\"ratio\":1.0}", '[warning] between',
            '[error] failed', 'on two lines {"list":["a","b"]}',
        ];
        self::assertSame(implode("\n", $log), trim($run->err));
    }

    /** @return array<string, array{string, string, list<string>}> */
    public static function environments(): array
    {
        $booted = static fn (string $left, string $raw): string => "[\"set by the boot\",null,$left,false,$raw]";
        $none = [$booted('null', 'null'), $booted('"0"', 'null'), $booted('"1"', 'null')];
        $some = [$booted('null', '"given"'), $booted('"0"', '"given"'), $booted('"1"', '"given"')];
        $late = static fn (string $left): string => "[null,\"secret\",$left,false,\"given\"]";

        return [
            'made by the boot, without the process\'s' => ['GPCS', 'boot', $none],
            'made by the boot' => ['EGPCS', 'boot', $some],
            'made by a request' => ['EGPCS', 'late', [$late('null'), $late('"0"'), $late('"1"')]],
        ];
    }

    /**
     * $_ENV is the application's: nothing that it set is gone, and nothing that it took out comes back.
     *
     * @param list<string> $answers of three requests of one realm
     */
    #[DataProvider('environments')]
    public function testTheEnvironmentIsLeftAlone(string $order, string $names, array $answers): void
    {
        $options = ['--mode=worker', "--ini=variables_order=$order", '--realms=1', '--requests=3', '--at-once=1'];
        $environment = ['SECRET' => 'secret', 'GIVEN' => 'given', 'NAMES' => $names];
        $run = Runner::run('environment-worker.php', [...$options, '--query=n=%d'], environment: $environment);

        self::assertSame(0, $run->exit, $run->err);
        self::assertSame($answers, explode("\n", trim($run->out)), $run->err);
    }

    public function testTheRequestsVariablesAreThoseOfTheSuperglobal(): void
    {
        $filtered = [...self::WORKER, '--requests=2', '--ini=filter.default=special_chars', '--query=do=<%d>'];
        $run = Runner::run('superglobals-worker.php', $filtered);

        self::assertSame(0, $run->exit, $run->err);
        self::assertSame(2, preg_match_all('/GET do=&#60;\d&#62; NULL\]/', $run->out), $run->out);
    }

    /** What the script does when the client has its answer has no client: it is logged, lost or done, and the next request knows nothing of it. */
    public function testBetweenTwoRequestsPhpCodeMayDoWhatItDoes(): void
    {
        // Each deed twice, in realms that go on but for those that end their script.
        $options = [...self::WORKER, '--realms=1', '--at-once=1', '--requests=56', '--query=do=%d'];
        $options[] = '--ini=session.save_path=' . sys_get_temp_dir();
        $run = Runner::run('between-worker.php', $options);

        self::assertSame(0, $run->exit, $run->err);
        foreach (['PRINT', 'LEFT OPEN', 'flushed between', 'ended between', 'thrown between', 'thrown late'] as $logged) {
            self::assertStringContainsStringIgnoringCase($logged, $run->err);
        }
        $outcomes = [
            "buffer: 'buffered0'", 'buffers: true', 'left open: true', "flush: 'flushed'", 'compress: true', 'rewrite: true',
            "header: '3false'", "session: 'true'", "input: 'read 0'", "errors: 'raised between'", 'trailer: false',
            "fiber: 'in a fiber'", 'garbage: 1', "info: 'info'",
        ];
        foreach ($outcomes as $outcome) {
            self::assertStringContainsString("[{$outcome}]", $run->out);
        }
        // Of headers, buffers and sessions each request finds what the first one finds.
        preg_match_all('/\]\[([^]]*)\]/', $run->out, $found);
        self::assertCount(56, $found[1], $run->out);
        self::assertSame(['|1|1'], array_unique($found[1]));
        self::assertSame(56, substr_count($run->out, 'Status: 200'));
        self::assertStringNotContainsString('X-Between:', $run->out);
    }
}
