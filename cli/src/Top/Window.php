<?php

declare(strict_types=1);

namespace Howdah\Cli\Top;

use Howdah\Cli\Control\ProcessStat;
use Howdah\Cli\Failure;

/**
 * The memory in which the workers of an nginx tell what their requests do. nginx/top.h has its layout.
 *
 * It is a file without a name, which the master has open: so whoever may look at the master's descriptors (its user, root) can
 * open it, and nobody else. Workers write; we write `asked`, and orders to end
 * requests (Orders.php).
 */
final class Window
{
    private const MAGIC = 'howdah03';

    private const LINK = '/memfd:howdah-top (deleted)';

    private const HEAD_BYTES = 4096;

    /** Bytes at its beginning that say something. */
    private const WORDS = 56;

    /** Tells this command, after a shell has opened the files, whose they are; they are descriptors from FIRST on. */
    private const OPENED = 'HOWDAH_TOP';

    private const FIRST = 3;

    /** Where words of a worker's two texts are, behind four that areas() reads. */
    private const ALL = 32;

    private const HELD = 56;

    private const AREA_WORDS = 360;

    private const MOST_AREAS = 1 << 16;

    private const MOST_AREA_BYTES = 64 << 20;

    /** Looks at a text that is being written. */
    private const TRIES = 200;

    /** @var list<int> nginx's masters whose memory cannot be read here */
    private static array $others = [];

    private function __construct(
        public readonly int $master,
        private readonly Memory $memory,
        private readonly int $count,
        private readonly int $areaBytes,
        private readonly int $heldAt,
        private readonly int $textAt,
        private readonly int $recent,
    ) {
    }

    /**
     * Those of which this command was told when it began; null: of none yet.
     *
     * @return non-empty-list<self>|null
     */
    public static function opened(): ?array
    {
        $opened = getenv(self::OPENED);
        if (!is_string($opened)) {
            return null;
        }
        putenv(self::OPENED);
        $windows = [];
        foreach (explode(' ', $opened) as $number => $pid) {
            $windows[] = self::open((int) $pid, self::FIRST + $number);
        }
        $windows = array_values(array_filter($windows));
        $others = self::$others === [] ? null : 'nginx process ' . implode(', ', self::$others) . " runs another version of"
            . " Howdah's module than this command: use the command of that version, or restart nginx";
        if ($windows === []) {
            throw new Failure($others ?? 'the nginx that was to be looked at has ended: `howdah top` shows those that run');
        }
        if ($others !== null) {
            fwrite(STDERR, "howdah: left out: $others\n");
        }

        return $windows;
    }

    /** @return array<int, string> all files that this user may open, by nginx's master process */
    public static function find(): array
    {
        $found = [];
        foreach (ProcessStat::named('nginx') as $pid) {
            foreach (@scandir("/proc/$pid/fd") ?: [] as $fd) {
                // A child has it as well until it closes it (howdah_top_hide(), nginx/top.c).
                $isOurs = @readlink("/proc/$pid/fd/$fd") === self::LINK
                    && @readlink('/proc/' . ProcessStat::parentOf($pid) . "/fd/$fd") !== self::LINK;
                if ($isOurs) {
                    $found[$pid] = "/proc/$pid/fd/$fd";
                }
            }
        }
        ksort($found);

        return $found;
    }

    /**
     * Begins this command anew, with the files open. PHP follows links by their text, and these lead to files that have no
     * name: so a shell opens them, and becomes the command.
     *
     * @param non-empty-array<int, string> $files as find() has them; there may be more than can be open at once
     */
    public static function become(array $files): never
    {
        // A shell need not know numbers of two digits.
        $all = count($files);
        $files = array_slice($files, -(10 - self::FIRST), null, true);
        if (count($files) < $all) {
            fwrite(STDERR, "howdah: $all servers run, and " . count($files) . " are shown: name another with --pid=PID\n");
        }
        $opens = '';
        foreach (array_values($files) as $number => $file) {
            $descriptor = self::FIRST + $number;
            // An nginx may have ended meanwhile: `command` lets the shell go on then.
            $opens .= "{ command exec $descriptor<>$file; } 2>/dev/null || exec $descriptor</dev/null; ";
        }
        $command = explode("\0", rtrim((string) file_get_contents('/proc/self/cmdline'), "\0"));
        $environment = [...getenv(), self::OPENED => implode(' ', array_keys($files))];
        pcntl_exec('/bin/sh', ['-c', $opens . 'exec "$@"', 'sh', PHP_BINARY, ...array_slice($command, 1)], $environment);
        throw new Failure('/bin/sh cannot be run: ' . lcfirst(pcntl_strerror(pcntl_get_last_error())));
    }

    private static function open(int $pid, int $descriptor): ?self
    {
        // Another file may have its number by now.
        $file = @readlink("/proc/self/fd/$descriptor") === self::LINK ? @fopen("php://fd/$descriptor", 'r+b') : false;
        if ($file === false) {
            return null;
        }
        stream_set_read_buffer($file, 0);
        $head = str_pad((string) fread($file, self::WORDS), self::WORDS, "\0");
        [$count, $areaBytes, $heldAt, $textAt, $recent] = Memory::numbers(substr($head, 16));
        // Any user can make a process that is called nginx and has such a file: it may lead nowhere, or be without end.
        $isSound = $count > 0 && $count <= self::MOST_AREAS && $areaBytes > 0 && $areaBytes <= self::MOST_AREA_BYTES
            && $heldAt >= self::AREA_WORDS && $heldAt < $textAt && $textAt < $areaBytes
            && (fstat($file)['size'] ?? 0) === self::HEAD_BYTES + $count * $areaBytes;
        if (substr($head, 0, 8) !== self::MAGIC || !$isSound) {
            self::$others[] = $pid;

            return null;
        }

        return new self($pid, new Memory($pid, $file), $count, $areaBytes, $heldAt, $textAt, $recent);
    }

    /**
     * Asks all workers, and waits so long for those that have requests.
     *
     * @return list<Worker>
     */
    public function ask(float $patience): array
    {
        $asked = $this->memory->numbersAt(8, 1)[0] + 1;
        $this->memory->write(8, $asked);
        $until = microtime(true) + $patience;
        do {
            usleep(5_000);
            $areas = array_filter($this->areas(), static fn (array $area): bool => $area[1] > 0 && $area[3] < $asked);
        } while ($areas !== [] && microtime(true) < $until);

        $workers = [];
        foreach ($this->areas() as $number => [$pid, $active, $deaf, $answered]) {
            $workers[] = $this->worker($number, $pid, $active, $deaf, $answered >= $asked);
        }

        return $workers;
    }

    /**
     * @param list<self> $windows
     * @param string     $name    as Request::name() has it
     */
    public static function endAny(array $windows, string $name, float $patience): Ending
    {
        [$worker, $number] = array_map(intval(...), explode('-', $name)) + [0, 0];
        foreach ($windows as $window) {
            $ending = $window->end($worker, $number, $patience);
            if ($ending !== null) {
                return $ending;
            }
        }

        return Ending::Gone;
    }

    /** Null: this nginx has no such worker. */
    private function end(int $worker, int $number, float $patience): ?Ending
    {
        foreach ($this->areas() as $area => [$pid, $active]) {
            if ($pid === $worker) {
                return $active === 0 ? Ending::Gone : (new Orders($this->memory, $this->place($area)))->end($number, $patience);
            }
        }

        return null;
    }

    /** What of it holds: nginx/top.h, 3. */
    private function worker(int $number, int $pid, int $active, int $deafSince, bool $answers): Worker
    {
        $now = intdiv(hrtime(true), 1000);
        // Nobody waits for the answer of one that has no requests. A boot may hold it.
        if ($answers || ($active === 0 && ($deafSince === 0 || $now - $deafSince < $this->recent))) {
            [$told] = $active === 0 ? [[]] : $this->text($number, self::ALL, $this->textAt, $this->areaBytes - $this->textAt);
            [$more, $brief] = [self::count($told, 'more'), self::count($told, 'brief')];

            return new Worker($this->master, $pid, $active, true, 0.0, 0.0, $more, $this->requests($pid, $told), $brief);
        }
        [$told, $when] = $this->text($number, self::ALL, $this->textAt, $this->areaBytes - $this->textAt);
        [$held, $heldWhen] = $this->text($number, self::HELD, $this->heldAt, $this->textAt - $this->heldAt);
        $requests = $active > 0 && $when > $deafSince - $this->recent ? $this->requests($pid, $told) : [];
        $running = $heldWhen > $deafSince ? Request::of($this->master, $pid, $held) : null;
        if ($running !== null) {
            $others = static fn (Request $one): bool => $one->number('request') !== $running->number('request');
            $requests = [$running, ...array_values(array_filter($requests, $others))];
        }
        $deaf = $deafSince === 0 ? 0.0 : ($now - $deafSince) / 1e6;

        return new Worker($this->master, $pid, $active, false, $deaf, ($now - $when) / 1e6, 0, $requests);
    }

    /** @param array<array-key, mixed> $told */
    private static function count(array $told, string $of): int
    {
        return is_int($told[$of] ?? null) ? $told[$of] : 0;
    }

    /**
     * @param  array<array-key, mixed> $told
     * @return list<Request>
     */
    private function requests(int $pid, array $told): array
    {
        $rows = is_array($told['requests'] ?? null) ? $told['requests'] : [];
        $requests = array_map(fn (mixed $row): ?Request => Request::of($this->master, $pid, $row), $rows);

        return array_values(array_filter($requests));
    }

    /** @return array<int, array{int, int, int, int}> of those that live: process, requests, deaf since, what was answered */
    private function areas(): array
    {
        $areas = [];
        for ($number = 0; $number < $this->count; ++$number) {
            [$pid, $active, $deaf, $answered] = $this->memory->numbersAt($this->place($number), 4);
            // nginx without a master is its own worker.
            if ($pid > 0 && ($pid === $this->master || ProcessStat::parentOf($pid) === $this->master)) {
                $areas[$number] = [$pid, $active, $deaf, $answered];
            }
        }

        return $areas;
    }

    /** @return array{array<array-key, mixed>, int} what was told last, and when (in microseconds); whole: nginx/top.h, 2 */
    private function text(int $number, int $head, int $at, int $most): array
    {
        for ($try = 0; $try < self::TRIES; ++$try) {
            [$turn, $len, $when] = $this->memory->numbersAt($this->place($number) + $head, 3);
            $text = $turn % 2 === 0 && $len > 0 && $len <= $most ? $this->memory->read($this->place($number) + $at, $len) : '';
            if ($turn % 2 === 0 && $this->memory->numbersAt($this->place($number) + $head, 1)[0] === $turn) {
                $told = json_decode($text, true, 32);

                return [is_array($told) ? $told : [], $when];
            }
            usleep(1_000);
        }

        return [[], 0];
    }

    private function place(int $number): int
    {
        return self::HEAD_BYTES + $number * $this->areaBytes;
    }
}
