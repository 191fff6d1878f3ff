<?php

declare(strict_types=1);

namespace Howdah\Tests\Engine;

use Howdah\Tests\Clock;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;

/**
 * The system's log, in a mount namespace that has its own /dev/log.
 */
final class SyslogTest extends TestCase
{
    private string $folder;

    protected function setUp(): void
    {
        exec('unshare --mount true 2>&1', $lines, $status);
        if ($status !== 0) {
            self::markTestSkipped('unshare --mount failed: is this a container without CAP_SYS_ADMIN, or not root?');
        }
        $this->folder = sys_get_temp_dir() . '/howdah-log-' . bin2hex(random_bytes(6));
        mkdir("{$this->folder}/dev", recursive: true);
        foreach (['null', 'zero', 'random', 'urandom'] as $device) {
            touch("{$this->folder}/dev/{$device}");
        }
    }

    protected function tearDown(): void
    {
        if (isset($this->folder)) {
            exec('rm -rf ' . escapeshellarg($this->folder));
        }
    }

    #[TestWith(['dgram'], 'dgram')]
    #[TestWith(['stream'], 'stream')]
    public function testMessagesAreThoseOfTheCLibrary(string $type): void
    {
        $script = __DIR__ . '/scripts/syslog.php';
        $original = $this->log($type, 0, fn () => exec(implode(' ', array_map('escapeshellarg', [
            ...$this->namespace(), PHP_BINARY, $script,
        ]))));
        self::assertCount(3, $original);
        self::assertStringContainsString("howdah-test[PID]: one hundred % of it\\x09tabbed", $original[1]);
        $realm = $this->log($type, 0, fn () => Runner::run('syslog.php', [], $this->namespace()));
        self::assertSame($original, $realm);
    }

    public function testALogThatIsNotReadStopsNobodyElse(): void
    {
        $run = null;
        mkdir("{$this->folder}/begun");
        $log = $this->log('dgram', 8, function () use (&$run): void {
            $options = ['--requests=8', '--at-once=8', "--query=begun={$this->folder}/begun/%d"];
            $run = Runner::run('syslog.php', $options, $this->namespace());
        });
        if ($log[0] === 'late') {
            Clock::late('not all requests began while the log was full');
        }
        self::assertInstanceOf(Runner::class, $run);
        self::assertSame(0, $run->exit, $run->err);
        self::assertCount(24, $log);
        preg_match_all('/^done (\d+) (\d+)$/m', $run->out, $times, PREG_SET_ORDER);
        self::assertCount(8, $times);
        $starts = array_map(static fn (array $one): int => (int) $one[1], $times);
        $ends = array_map(static fn (array $one): int => (int) $one[2], $times);
        sort($starts);
        sort($ends);
        self::assertLessThan($ends[0], end($starts), 'all begin before the first one ends');
    }

    /**
     * What is logged meanwhile, without times and process numbers.
     *
     * @param  int $begun the log is full until so many requests have begun
     * @return list<string>
     */
    private function log(string $type, int $begun, callable $meanwhile): array
    {
        $path = "{$this->folder}/dev/log";
        $reader = proc_open(
            [PHP_BINARY, __DIR__ . '/scripts/log-reader.php', $path, $type, (string) $begun, "{$this->folder}/begun"],
            [1 => ['pipe', 'w']],
            $pipes,
        );
        self::assertIsResource($reader);
        self::assertSame("ready\n", fgets($pipes[1]));
        $meanwhile();
        $end = stream_socket_client(($type === 'dgram' ? 'udg' : 'unix') . "://{$path}");
        self::assertIsResource($end);
        fwrite($end, 'end');
        fclose($end);
        $lines = explode("\n", rtrim((string) stream_get_contents($pipes[1]), "\n"));
        proc_close($reader);
        unlink($path);

        return array_map(static fn (string $line): string => (string) preg_replace(
            ['/^(<\d+>)\w{3} [ \d]\d \d\d:\d\d:\d\d /', '/^(<\d+>.{1,20})\[\d+\]/', '/^(<\d+>TIME )(howdah-run|php[\d.]*):/'],
            ['$1TIME ', '$1[PID]', '$1PROGRAM:'],
            $line,
        ), $lines);
    }

    /** @return list<string> */
    private function namespace(): array
    {
        $own = $this->folder . '/dev';
        $devices = '';
        foreach (['null', 'zero', 'random', 'urandom'] as $device) {
            $devices .= "mount --bind /dev/{$device} {$own}/{$device} && ";
        }

        return ['unshare', '--mount', 'sh', '-c', "{$devices}mount --rbind {$own} /dev && exec \"\$@\"", 'sh'];
    }
}
