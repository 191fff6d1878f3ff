<?php

/**
 * The probe itself: it must be right when a request is alone, and it must notice when requests share their state.
 */

declare(strict_types=1);

namespace Howdah\Tests\Isolation;

use Fiber;
use PHPUnit\Framework\Attributes\RunInSeparateProcess;
use PHPUnit\Framework\TestCase;

require_once __DIR__ . '/Probe.php';

// PHPUnit hands every ini setting to the processes of its tests, and an empty size of a fiber's stack would become 0 there.
ini_set('fiber.stack_size', '1M');

final class ProbeTest extends TestCase
{
    /** What requests in one PHP state cannot spoil for each other: only an engine that switches stacks can. */
    private const ENGINE_ONLY = [
        'usort',
        'array_multisort',
        'preg_replace_callback',
        'generator',
        'fiber',
        'destructor',
        'shutdown',
    ];

    /** What a state keeps for good, and knows that it does. */
    private const DECLARED = ['constant', 'function', 'class', 'stream filter'];

    /** Their expectations come from the SAPI: tests with a server. */
    private const SERVER_ONLY = ['body'];

    #[RunInSeparateProcess]
    public function test_a_request_that_is_alone_finds_nothing_wrong(): void
    {
        $this->request('alone');
        $answer = (new Probe('alone', 0, static fn (int $us) => null))->run();

        self::assertSame([], $this->withoutServer($answer['wrong']));
        self::assertGreaterThan(200, $answer['compared']);
    }

    #[RunInSeparateProcess]
    public function test_requests_one_after_another_in_one_state_leave_nothing_behind(): void
    {
        for ($i = 0; $i < 300; ++$i) {
            $this->request("n{$i}");
            $answer = (new Probe("n{$i}", 0, static fn (int $us) => null))->run();
            self::assertSame([], $this->withoutServer($answer['wrong']), "request {$i}");
        }
        self::assertLessThanOrEqual(4 * 64, count(Declared::$values));
    }

    #[RunInSeparateProcess]
    public function test_every_check_notices_requests_that_share_a_state(): void
    {
        $noticed = [];
        $level = ob_get_level();
        // Values are chosen from short lists: two requests may choose the same one, many pairs do not.
        for ($i = 0; $i < 12; ++$i) {
            foreach ($this->overlap("a{$i}", "b{$i}") as $answer) {
                foreach (array_keys($answer['wrong']) as $what) {
                    $noticed[explode(':', $what)[0]] = true;
                }
            }
        }
        // Output buffers are shared, too: neither probe could close just its own.
        while (ob_get_level() > $level) {
            ob_end_clean();
        }
        while (ob_get_level() < $level) {
            ob_start();
        }
        $probe = new Probe('names', 0, static fn (int $us) => null);
        $expected = array_diff($probe->names(), self::ENGINE_ONLY, self::DECLARED, self::SERVER_ONLY);

        self::assertSame([], array_values(array_diff($expected, array_keys($noticed))));
    }

    #[RunInSeparateProcess]
    public function test_what_another_realm_has_declared_is_noticed(): void
    {
        for ($i = 0; $i < 64; ++$i) {
            define("PROBE_CONSTANT_{$i}", 'foreign');
            eval("function probe_function_{$i}() { return 'foreign'; } class ProbeClass{$i} { const VALUE = 'foreign'; }");
            stream_filter_register("probe.{$i}", NamingFilter::class);
        }
        $this->request('alone');
        $answer = (new Probe('alone', 0, static fn (int $us) => null))->run();
        $noticed = array_map(static fn (string $what): string => explode(':', $what)[0], array_keys($answer['wrong']));

        self::assertSame([], array_values(array_diff(self::DECLARED, $noticed)));
    }

    /** An eighth of them ask for the levels that PHP has already: it does nothing then, and the setting has no text. */
    public function test_levels_that_no_php_ini_names_are_found(): void
    {
        $code = <<<'CODE'
            require $argv[1] . '/Probe.php';
            foreach (range(1, 32) as $i) {
                ini_restore('error_reporting');
                $probe = new Howdah\Tests\Isolation\Probe("n$i", 0, static fn () => null);
                $check = (new Howdah\Tests\Isolation\ErrorChecks($probe))->checks()['error_reporting'];
                $found = $check->current()();
                echo $found['ini'][0] === $found['ini'][1] ? 'right ' : 'wrong ';
            }
            CODE;
        exec(PHP_BINARY . ' -n -r ' . escapeshellarg($code) . ' ' . escapeshellarg(__DIR__), $lines, $status);

        self::assertSame(0, $status);
        self::assertSame(str_repeat('right ', 32), implode("\n", $lines) . ' ');
    }

    /**
     * Runs two probes in turns in this one state, as an event loop without realms would.
     *
     * @return list<array{wrong: array<string, mixed>}>
     */
    private function overlap(string ...$ids): array
    {
        $fibers = $answers = [];
        foreach (array_values($ids) as $i => $id) {
            $fibers[] = $fiber = new Fiber(function () use (&$fibers, &$answers, $i, $id): void {
                $wait = static function () use (&$fibers, $i): void {
                    // The probe's own fiber waits too; it is not ours to suspend. And PHP 8.4 crashes when the comparisons of
                    // an array_multisort() are taken away by another that began meanwhile (ext/standard/array.c).
                    $callers = array_column(debug_backtrace(DEBUG_BACKTRACE_IGNORE_ARGS), 'function');
                    if (Fiber::getCurrent() === $fibers[$i] && !in_array('array_multisort', $callers, true)) {
                        Fiber::suspend();
                    }
                };
                $this->request($id);
                $answers[$i] = (new Probe($id, 0, $wait))->run();
            });
        }
        foreach ($fibers as $fiber) {
            $fiber->start();
        }
        while (array_filter($fibers, static fn (Fiber $fiber): bool => !$fiber->isTerminated()) !== []) {
            foreach ($fibers as $fiber) {
                $fiber->isTerminated() || $fiber->resume();
            }
        }

        return array_values($answers);
    }

    private function request(string $id): void
    {
        $_GET = $_REQUEST = ['id' => $id, 'kind' => 'get'];
        $_POST = $_FILES = [];
        $_COOKIE = ['probe_in' => Probe::markOf($id, 'cookie')];
        $_SERVER['QUERY_STRING'] = "id={$id}";
        $_SERVER['REQUEST_URI'] = "/probe?id={$id}";
        $_SERVER['REQUEST_METHOD'] = 'GET';
        $_SERVER['HTTP_X_PROBE'] = Probe::markOf($id, 'header');
        // Shutdown functions run when the test has ended, with the last request's superglobals, and log it.
        ini_set('error_log', '/dev/null');
    }

    /**
     * The command line has neither filter_input() nor getallheaders() nor headers of an answer.
     *
     * @param array<string, mixed> $wrong
     * @return array<string, mixed>
     */
    private function withoutServer(array $wrong): array
    {
        return array_filter(
            $wrong,
            static fn (string $what): bool => preg_match('/filter_input|getallheaders|^answer: headers/', $what) !== 1,
            ARRAY_FILTER_USE_KEY,
        );
    }
}
