<?php

declare(strict_types=1);

namespace Howdah\Cli\Development;

use Howdah\Cli\Control\PassedSocket;
use Howdah\Cli\Failure;

/** `howdah-run --watch` as a child: which files of a project change. SIGUSR2 says that it has told something. */
final class FileWatcher
{
    /** Why it looks again and again instead of being told. */
    private const REASONS = [
        'wanted' => 'as --watch=poll says',
        'remote' => 'because the kernel is not told of files that another machine writes',
        'limit' => 'because the kernel watches no more folders for this user: raise the limit, as in'
            . ' `sysctl fs.inotify.max_user_watches=524288`',
        'instances' => 'because this user has too many programs that watch files: end some, or raise the limit, as in'
            . ' `sysctl fs.inotify.max_user_instances=512`',
    ];

    /** @var resource */
    private $lines;

    /** The beginning of a line whose end has not come. */
    private string $rest = '';

    /** @var resource it ends with us, however that happens */
    private $process;

    /**
     * @param string $runner howdah-run
     * @param string $folder to watch
     */
    public function __construct(string $runner, string $folder, bool $poll)
    {
        // It may tell something before anybody asks; nobody else would hear it, and the signal ends a process.
        pcntl_sigprocmask(SIG_BLOCK, [SIGUSR2]);
        $ignored = array_map(static fn (string $name): string => "--ignore=$name", FileKind::IGNORED);
        $process = proc_open(
            PassedSocket::without([$runner, '--watch', ...($poll ? ['--poll'] : []), ...$ignored, $folder]),
            [['file', '/dev/null', 'r'], ['pipe', 'w'], STDERR],
            $pipes,
        );
        if ($process === false) {
            throw new Failure("$runner cannot be started: no process or memory is left on this machine; leave out --watch");
        }
        $this->process = $process;
        $this->lines = $pipes[1];
        stream_set_blocking($this->lines, false);
    }

    /**
     * What has been told since the last call.
     *
     * @return array{list<string>, string|null} paths, and what the user should know
     */
    public function read(): array
    {
        $text = $this->rest . stream_get_contents($this->lines);
        $lines = explode("\n", $text);
        $this->rest = array_pop($lines);
        $paths = [];
        $note = null;
        foreach ($lines as $line) {
            if (str_starts_with($line, 'C ')) {
                $paths[] = substr($line, 2);
            } else {
                $note = $this->explain(...explode(' ', $line));
            }
        }

        return [$paths, $note];
    }

    private function explain(string $mark, string $how = '', string $detail = ''): string
    {
        return $how === 'inotify'
            ? "watching $detail folders for changes"
            : 'looking through all files for changes again and again, ' . (self::REASONS[$detail] ?? $detail)
                . '; it may take a second until one is seen';
    }

    public function isAlive(): bool
    {
        return proc_get_status($this->process)['running'];
    }
}
