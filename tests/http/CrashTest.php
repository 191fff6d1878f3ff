<?php

declare(strict_types=1);

namespace Howdah\HttpTests;

use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;

/**
 * A worker that crashes loses its requests, and those alone: other workers go on, nginx starts another one, and the log
 * says where each of the lost requests was.
 */
#[Group('realms')]
final class CrashTest extends DeathTestCase
{
    private const AT = 'segmentation fault (SIGSEGV) at address 0x';
    private const STACK = 'the C stack was exhausted (';

    /** How (app/dying/crashes.php) => signal, cause in the log, where PHP code was. */
    private const CRASHES = [
        'signal-segv' => [SIGSEGV, 'segmentation fault (SIGSEGV), sent by process ', 'crashes.php on line 14, in posix_kill()'],
        'signal-bus' => [SIGBUS, 'bus error (SIGBUS), sent by process ', 'crashes.php on line 19, in posix_kill()'],
        'signal-fpe' => [SIGFPE, 'arithmetic error (SIGFPE), sent by process ', 'crashes.php on line 24, in posix_kill()'],
        'signal-ill' => [SIGILL, 'illegal instruction (SIGILL), sent by process ', 'crashes.php on line 29, in posix_kill()'],
        'signal-abrt' => [SIGABRT, 'abort (SIGABRT), sent by process ', 'crashes.php on line 34, in posix_kill()'],
        'bad-pointer' => [SIGSEGV, self::AT . '10: ', 'crashes.php on line 49, in memset()'],
        'bad-pointer-in-fiber' => [SIGSEGV, self::AT . '10: ', 'crashes.php on line 49, in memset()'],
        'division' => [SIGFPE, 'arithmetic error (SIGFPE) at address 0x', 'crashes.php on line 59, in div()'],
        'abort' => [SIGABRT, 'abort (SIGABRT)', 'crashes.php on line 64, in abort()'],
        'double-free' => [SIGABRT, 'abort (SIGABRT)', 'crashes.php on line 72, in free()'],
        'bus-error' => [SIGBUS, 'bus error (SIGBUS) at address 0x', 'crashes.php on line 84'],
        'smashed-globals' => [SIGSEGV, self::AT, '(the rest cannot be read)'],
        'dive' => [SIGSEGV, self::STACK, 'crashes.php on line 98, in dive()'],
        'dive-in-fiber' => [SIGSEGV, self::STACK, 'crashes.php on line 98, in dive()'],
    ];

    /** @return iterable<string, array{string, string, int, string, string}> */
    public static function crashes(): iterable
    {
        foreach (self::CRASHES as $how => $expected) {
            yield "classic: $how" => ['classic', $how, ...$expected];
        }
        foreach (['signal-segv', 'bad-pointer', 'bad-pointer-in-fiber', 'smashed-globals', 'dive'] as $how) {
            yield "worker: $how" => ['worker', $how, ...self::CRASHES[$how]];
        }
    }

    #[DataProvider('crashes')]
    public function test_a_crash_takes_one_worker_and_the_log_says_where_everybody_was(
        string $mode,
        string $how,
        int $signal,
        string $cause,
        string $place,
    ): void {
        [$server, $victim, $lost, $log] = $this->crash($mode, $how);

        self::assertStringContainsString("howdah: crash: $cause", $log);
        $place = preg_quote($place);
        self::assertMatchesRegularExpression("~howdah: crash: realm \d+ ran POST /victim\?how=.*$place~", $log);
        self::assertStringContainsString("worker process $victim dies with " . (1 + count($lost)) . ' requests', $log);
        foreach ($lost as $uri) {
            $uri = preg_quote($uri);
            $where = 'PHP was in \S+/requests\.php on line \d+(, in \w+(::\w+)?\(\))?, client: ';
            $realm = 'realm \d+ (waited|let others run) in';
            self::assertMatchesRegularExpression("~howdah: crash: $realm GET $uri: $where~", $log);
        }
        self::assertTrue($server->eventually(
            static fn (): bool => str_contains($server->errors(), "worker process $victim exited on signal $signal"),
        ));
    }

    #[DataProvider('modes')]
    public function test_a_worker_that_is_killed_is_replaced(string $mode): void
    {
        [$server, $victim] = $this->crash($mode, 'signal-kill');

        self::assertStringContainsString("worker process $victim exited on signal 9", $server->errors());
    }

    /**
     * The server, its worker that died, the URIs that were lost beside the victim's, the log.
     *
     * @return array{Server, int, list<string>, string}
     */
    private function crash(string $mode, string $how): array
    {
        $server = $this->server($mode);
        self::assertTrue($server->eventually(fn (): bool => count($server->workers()) === 2));
        $workers = $server->workers();
        $logged = strlen($server->errors());
        $estate = new Estate();
        $survivors = Neighbours::requests($estate->death());
        $neighbours = Neighbours::requests("{$estate->folder}/never");
        $folder = urlencode($estate->folder);
        $others = static fn (): bool => $estate->has('held-1');
        $mine = static fn (): bool => $estate->has('held-2') && $estate->put('release-1');

        // While one worker is held by C code, nginx gives connections to the other.
        $responses = $server->client->all([
            "/hold?folder=$folder&name=1&after=0",
            ["/hold?folder=$folder&name=2&after=" . Neighbours::COUNT, [], $others],
            ...array_map(static fn (string $uri): array => [$uri, [], $others], $survivors),
            [...self::victim($how, $estate, 2 * Neighbours::COUNT), $mine],
            ...array_map(static fn (string $uri): array => [$uri, [], $mine], $neighbours),
        ]);

        $victim = $estate->victim()['worker'];
        self::assertIsInt($victim);
        self::assertSame(['held', 'held'], [$responses[0]->body, $responses[1]->body]);
        $survivors = array_slice($responses, 2, Neighbours::COUNT);
        self::assertUnharmed($survivors);
        foreach ($survivors as $survivor) {
            self::assertNotSame((string) $victim, $survivor->header('X-Worker'));
        }
        $lost = array_slice($responses, 2 + Neighbours::COUNT);
        self::assertSame(array_fill(0, 1 + Neighbours::COUNT, 0), array_column($lost, 'status'));
        self::assertTrue($server->eventually(
            fn (): bool => count($server->workers()) === 2 && !in_array($victim, $server->workers(), true),
        ), 'nginx has not replaced the worker');
        self::assertCount(1, array_diff($server->workers(), $workers));
        $estate->assertReleased(files: false);
        self::assertSame('alive', $server->client->get('/echo?text=alive')->body);

        return [$server, $victim, $neighbours, substr($server->errors(), $logged)];
    }

    /** @return list<string> */
    protected static function options(string $mode): array
    {
        return [...parent::options($mode), '--workers=2', '--ini=ffi.enable=1', '--ini=memory_limit=256M'];
    }
}
