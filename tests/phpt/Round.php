<?php

declare(strict_types=1);

namespace Howdah\Tests\Phpt;

/** All tests once, through one server. */
final class Round
{
    /** The name of the round without the chaos scheduler. */
    public const PLAIN = 'howdah';

    /** @var array<string, Outcome> by the test's name */
    public array $outcomes = [];
    public float $seconds = 0;

    /**
     * @param int   $port     the server's
     * @param int   $new      of the same one that has a new realm, or child, for each test: where tests run alone
     * @param int   $helper   of the server that runs what is not under test: SKIPIF and CLEAN
     * @param float $patience seconds for one test
     */
    public function __construct(
        public readonly string $name,
        private readonly int $port,
        private readonly int $new,
        private readonly int $helper,
        private readonly int $atOnce,
        private readonly float $patience = 60,
    ) {
    }

    /**
     * @param list<Test> $tests
     * @param ?int       $port     another server's than the round's
     * @param ?float     $patience other than the round's
     */
    public function run(array $tests, ?int $port = null, ?float $patience = null): void
    {
        $start = microtime(true);
        $byName = array_column($tests, null, 'name');
        $tasks = $this->tasks($tests, $port ?? $this->port);
        (new Crowd($this->atOnce, $patience ?? $this->patience))->run($tasks, function (Result $result) use ($byName): void {
            $this->outcomes[$result->task->name] = new Outcome($byName[$result->task->name], $result);
        });
        $this->seconds += microtime(true) - $start;
    }

    /**
     * What an earlier test has left in a realm or a child is not this one's fault: here it meets none.
     *
     * @param callable(Outcome): bool $which of those that have failed are tried again, one at a time
     */
    public function tryAlone(callable $which): void
    {
        $start = microtime(true);
        $failed = array_filter(
            $this->outcomes,
            static fn (Outcome $one): bool => !$one->passes() && $one->alone === null && $which($one),
        );
        $tests = array_map(static fn (Outcome $outcome): Test => $outcome->test, array_values($failed));
        $tasks = $this->tasks($tests, $this->new);
        (new Crowd(1, $this->patience))->run($tasks, function (Result $result): void {
            $this->outcomes[$result->task->name]->tryAlone($result->answer);
        });
        $this->seconds += microtime(true) - $start;
    }

    /**
     * A test once more, in the middle of others.
     *
     * @param list<Test> $others
     */
    public function failsAmong(Test $test, array $others): bool
    {
        $results = (new Crowd($this->atOnce, $this->patience))->run($this->tasks([$test, ...$others], $this->port));

        return $test->expectation->wrong($results[$test->name]->answer) !== null;
    }

    /**
     * Why tests are not to run: what their SKIPIF says. A script that several tests of a folder have runs once (as with
     * SkipCache of run-tests.php).
     *
     * @param list<Test> $tests
     *
     * @return array<string, string> reasons by name
     */
    public function skips(array $tests): array
    {
        $scripts = $owners = [];
        foreach ($tests as $test) {
            if ($test->sections->isFilled('SKIPIF')) {
                $key = dirname($test->path) . "\n" . serialize($test->environment()) . $test->sections->get('SKIPIF');
                $scripts[$key] ??= new Task($test->name, $this->helper, Request::to("/$test->path.skip.php"));
                $owners[$scripts[$key]->name][] = $test->name;
            }
        }
        $reasons = [];
        foreach ((new Crowd($this->atOnce, $this->patience))->run(array_values($scripts)) as $name => $result) {
            $said = $result->answer->error ?? trim($result->answer->body);
            // run-tests.php takes anything else for a broken test.
            if ($said !== '' && preg_match('/^(info|warn|xfail|flaky|nocache)/i', $said) !== 1) {
                $reasons += array_fill_keys($owners[$name], strtok($said, "\n") ?: 'SKIPIF fails');
            }
        }

        return $reasons;
    }

    /**
     * @param list<Test> $tests
     *
     * @return list<Task>
     */
    private function tasks(array $tests, int $port): array
    {
        return array_map(function (Test $test) use ($port): Task {
            $clean = $test->sections->isFilled('CLEAN')
                ? new Task($test->name, $this->helper, Request::to("/$test->path.clean.php"))
                : null;

            $request = Request::of($test->sections, "/$test->path.php");

            return new Task($test->name, $port, $request, $test->conflicts(), $clean);
        }, $tests);
    }
}
