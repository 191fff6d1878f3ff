<?php

declare(strict_types=1);

namespace Howdah\Cli\Tests;

use Howdah\Cli\Control\FolderOwner;
use Howdah\Cli\Control\Leftovers;
use Howdah\Cli\Program;
use Howdah\Cli\RuntimeFolder;
use Howdah\Tests\Clock;
use PHPUnit\Framework\Attributes\TestWith;

/** What a server that was killed leaves in the temporary folder, and who removes it. */
final class LeftoversTest extends CliTestCase
{
    private const NAME = 'howdah-0123456789ab';

    private string $temporary;

    protected function setUp(): void
    {
        $this->temporary = (string) realpath($this->project([]));
    }

    /** @param list<string> $command that need not succeed */
    #[TestWith([['status']])]
    #[TestWith([['serve', '/no/such/project']])]
    public function test_the_folder_of_a_killed_process_is_removed(array $command): void
    {
        $code = 'require $argv[1]; new Howdah\Cli\RuntimeFolder(); posix_kill(getmypid(), SIGKILL);';
        $here = ['env', "TMPDIR={$this->temporary}", PHP_BINARY];
        Program::run([...$here, '-r', $code, __DIR__ . '/../vendor/autoload.php']);
        self::assertCount(1, $this->found());

        Program::run([...$here, dirname(__DIR__, 2) . '/bin/howdah', ...$command]);

        self::assertSame([], $this->found());
    }

    /** As soon as it is there: also in the first second of `howdah serve`, when nobody waits for signals. */
    #[TestWith([SIGTERM])]
    #[TestWith([SIGINT])]
    #[TestWith([SIGQUIT])]
    public function test_a_signal_that_ends_the_process_removes_its_folders(int $signal): void
    {
        $code = 'require $argv[1]; $one = new Howdah\Cli\RuntimeFolder(); $two = new Howdah\Cli\RuntimeFolder();'
            . '$three = new Howdah\Cli\RuntimeFolder(); $three->remove();'
            . '$file = Howdah\Cli\NamelessFile::open();'
            . "posix_kill(getmypid(), $signal); for (\$i = 0; \$i < 1000; ++\$i) { } file_put_contents(\$argv[2], 'lives');";
        $mark = "{$this->temporary}/mark";
        $command = [PHP_BINARY, '-r', $code, __DIR__ . '/../vendor/autoload.php', $mark];
        $process = proc_open($command, [], $pipes, null, ['TMPDIR' => $this->temporary] + getenv());
        self::assertIsResource($process);
        pcntl_waitpid(proc_get_status($process)['pid'], $status);
        proc_close($process);

        self::assertSame([], $this->found());
        self::assertFileDoesNotExist($mark);
        self::assertIsInt($status);
        self::assertSame($signal, pcntl_wifsignaled($status) ? pcntl_wtermsig($status) : 0, 'it has not ended by it');
    }

    /** A program that we wait for need not end first. */
    public function test_a_signal_ends_the_process_while_it_waits_for_a_program(): void
    {
        $number = "{$this->temporary}/number";
        $program = "echo \$\$ >$number; kill -TERM \$PPID; exec tail -f /dev/null";
        $code = 'require $argv[1]; $folder = new Howdah\Cli\RuntimeFolder();'
            . "Howdah\\Cli\\Program::run(['sh', '-c', \$argv[2]]);";
        $command = [PHP_BINARY, '-r', $code, __DIR__ . '/../vendor/autoload.php', $program];
        $process = proc_open($command, [], $pipes, null, ['TMPDIR' => $this->temporary] + getenv());
        self::assertIsResource($process);
        try {
            $ended = Clock::await(static function () use ($process): array|false {
                $state = proc_get_status($process);

                return $state['running'] ? false : $state;
            }, 'it ends');
        } finally {
            posix_kill((int) file_get_contents($number), SIGKILL);
            proc_close($process);
        }

        self::assertSame(SIGTERM, $ended['termsig']);
        unlink($number);
        self::assertSame([], $this->found());
    }

    public function test_a_limit_for_files_is_named(): void
    {
        $howdah = dirname(__DIR__, 2) . '/bin/howdah';
        $limited = ['sh', '-c', '("$@" 2>&1; echo $?) | cat', 'sh', 'sh', '-c', 'ulimit -f 0; exec "$@"', 'sh'];

        $said = Program::run([...$limited, PHP_BINARY, $howdah, 'serve', $this->project(['index.php' => ''])])->output;

        self::assertStringStartsWith('howdah: no file may have 65536 bytes here: raise the limit (`ulimit -f', $said);
        self::assertStringEndsWith("\n1", $said);
    }

    public function test_the_number_of_a_process_says_nothing_without_the_time_of_its_start(): void
    {
        $me = FolderOwner::me()->toText();
        [$pid, $birth, $world] = explode(' ', $me, 3);
        $none = $this->numberOfNone();

        self::assertTrue($this->isKept($me), 'it runs');
        self::assertFalse($this->isKept("$pid " . ((int) $birth - 1) . " $world"), 'another one had the number');
        self::assertFalse($this->isKept("$none $birth $world"), 'there is none');
        self::assertTrue($this->isKept("$none $birth other pid:[1]\n"), 'nobody here knows');
        foreach (['', "$none", "$none $birth ", "0 $birth $world", "$none 0 $world", "-1 $birth $world"] as $text) {
            self::assertTrue($this->isKept($text), "it does not say: $text");
        }
    }

    public function test_the_process_of_another_container_has_gone_when_its_lock_has(): void
    {
        [, $birth, $boot] = explode(' ', FolderOwner::me()->toText());
        $other = "{$this->numberOfNone()} $birth $boot pid:[1]\n";
        self::assertTrue($this->isKept($other), 'it has locked nothing');

        $lock = FolderOwner::lock("{$this->temporary}/" . self::NAME);
        self::assertIsResource($lock);
        self::assertTrue($this->isKept($other), 'it lives');
        fclose($lock);
        $former = "{$this->numberOfNone()} $birth another pid:[1]\n";
        self::assertTrue($this->isKept($former), 'of another machine, or before it was started again');
        self::assertFalse($this->isKept($other));
    }

    public function test_a_folder_is_locked_until_it_is_removed(): void
    {
        $folder = new RuntimeFolder();
        $file = fopen("$folder->path/alive", 'r');
        self::assertIsResource($file);

        $isLocked = !flock($file, LOCK_EX | LOCK_NB);
        $folder->remove();

        self::assertTrue($isLocked);
        self::assertTrue(flock($file, LOCK_EX | LOCK_NB));
        self::assertDirectoryDoesNotExist($folder->path);
    }

    public function test_what_is_no_folder_of_a_server_of_this_user_is_left(): void
    {
        $gone = $this->gone();
        $elsewhere = $this->project(['owner' => $gone]);
        symlink($elsewhere, "{$this->temporary}/" . self::NAME);
        mkdir("{$this->temporary}/howdah-mine");
        file_put_contents("{$this->temporary}/howdah-mine/owner", $gone);
        Leftovers::remove($this->temporary);
        self::assertSame(['howdah-0123456789ab', 'howdah-mine'], $this->found());
        self::assertFileExists("$elsewhere/owner");
        unlink("{$this->temporary}/" . self::NAME);

        mkdir("{$this->temporary}/" . self::NAME);
        chmod("{$this->temporary}/" . self::NAME, 0777);
        self::assertTrue($this->isKept($gone), 'others may have written it');
        chmod("{$this->temporary}/" . self::NAME, 0711);
        chmod($this->temporary, 0777);
        self::assertTrue($this->isKept($gone), 'others may have put it there');
        chmod($this->temporary, 01777);
        if (posix_geteuid() === 0) {
            chown("{$this->temporary}/" . self::NAME, 'nobody');
            self::assertTrue($this->isKept($gone), "it is another user's");
            chown("{$this->temporary}/" . self::NAME, 0);
        }
        self::assertFalse($this->isKept($gone));
    }

    /** A folder with that said of its process. */
    private function isKept(string $owner): bool
    {
        $folder = "{$this->temporary}/" . self::NAME;
        if (!is_dir($folder)) {
            mkdir($folder, 0711);
        }
        file_put_contents("$folder/owner", $owner);
        Leftovers::remove($this->temporary);
        clearstatcache();

        return is_dir($folder);
    }

    private function gone(): string
    {
        [, $birth, $world] = explode(' ', FolderOwner::me()->toText(), 3);

        return "{$this->numberOfNone()} $birth $world";
    }

    /** More than any process has. */
    private function numberOfNone(): int
    {
        return 1 + (int) file_get_contents('/proc/sys/kernel/pid_max');
    }

    /** @return list<string> */
    private function found(): array
    {
        return array_values(array_diff(scandir($this->temporary) ?: [], ['.', '..']));
    }
}
