<?php

declare(strict_types=1);

namespace Howdah\Fuzz;

use Howdah\HttpTests\Nginx;
use Howdah\HttpTests\Sanitized;
use Howdah\Tests\Clock;
use Random\Engine\Mt19937;
use Random\Randomizer;

/**
 * Asks one server made-up requests, many at once, and looks after each lot whether it still does what it should.
 *
 * A lot that reached code which none before it had is kept, and later ones are made of its requests.
 */
final class Fuzzer
{
    private const LOT = 96;
    private const KEPT = 3000;

    /** Megabytes: 16 realms have met what is large. */
    private const GROWTH = 150;

    /** What a log must not hold. */
    private const FAULTS = '/AddressSanitizer|runtime error: |\[alert\]|\[emerg\]|howdah: crash/';

    /** One answer in so many is asked for over HTTP/2 as well. */
    private const SECOND = 12;

    private readonly Randomizer $random;
    private readonly Generator $generator;
    private readonly Coverage $coverage;
    private Nginx $nginx;

    /** @var list<string> */
    private array $kept = [];

    /** @var array<array-key, int> by status */
    private array $statuses = [];
    /** @var array<string, true> those of all requests */
    private array $marks = [];
    private int $requests = 0;
    private int $goods = 0;

    public function __construct(
        private readonly string $root,
        private readonly string $folder,
        private readonly string $mode,
        private readonly int $seed,
    ) {
        $this->random = new Randomizer(new Mt19937($seed));
        $this->generator = new Generator($this->random);
        $this->coverage = new Coverage("$folder/coverage");
    }

    /** For so long; what reaches code that nothing reached before leads it. Returns a line that sums up. */
    public function run(float $seconds): string
    {
        $clock = Clock::start();

        return $this->go(static fn (): bool => $clock->seconds() < $seconds, $this->coverage->hasGrown(...));
    }

    /**
     * So many requests, the same of the same seed: no clock ends them, and mutations are made of all, as which of them reach
     * new code depends on how fast the machine is.
     */
    public function count(int $requests): string
    {
        return $this->go(fn (): bool => $this->requests < $requests, function (): bool {
            $this->coverage->hasGrown();

            return true;
        });
    }

    /**
     * @param callable(): bool $goesOn
     * @param callable(): bool $keeps  whether later lots are made of the last one
     */
    private function go(callable $goesOn, callable $keeps): string
    {
        $this->start();
        try {
            $worker = $this->worker();
            $this->lot($this->fresh(), $worker, $keeps);
            $before = $this->resident($worker);
            while ($goesOn()) {
                $this->lot($this->next(), $worker, $keeps);
            }
            $this->rest();
            if ($this->resident($worker) - $before > self::GROWTH) {
                throw new Fault(sprintf('the worker has grown by %.0f MB', $this->resident($worker) - $before));
            }

            return sprintf(
                '%s, seed %d: %s requests, %s good ones between them, %s places reached, %d kept; %+.1f MB; statuses %s',
                $this->mode,
                $this->seed,
                number_format($this->requests),
                number_format($this->goods),
                number_format($this->coverage->places()),
                count($this->kept),
                $this->resident($worker) - $before,
                urldecode(http_build_query($this->statuses, '', ' ')),
            );
        } finally {
            $this->nginx->stop();
        }
    }

    /** The same requests again, in the same lots. */
    public function replay(string $file): void
    {
        /** @var array<int, array{string, string}> $lot */
        $lot = unserialize((string) file_get_contents($file), ['allowed_classes' => false]);
        $this->start();
        try {
            for ($i = 0; $i < 20; ++$i) {
                $this->lot($lot, $this->worker(), static fn (): bool => false);
            }
            $this->rest();
        } finally {
            $this->nginx->stop();
        }
    }

    private function start(): void
    {
        // Nobody waits for these: clients end what has come to rest (Crowd).
        $limits = 'client_header_timeout 300s; client_body_timeout 300s; keepalive_timeout 300s; send_timeout 300s;'
            . ' lingering_timeout 300s; lingering_time 300s; client_body_buffer_size 4k; howdah_concurrency 16;'
            . ' location = /turn { return 200; }';
        $script = $this->mode === 'worker' ? '--worker-script=' . __DIR__ . '/../app/worker.php' : '--mode=classic';
        $ini = ['display_errors=0', 'log_errors=0', 'memory_limit=64M', 'post_max_size=256K', 'upload_max_filesize=64K',
            "upload_tmp_dir={$this->folder}"];
        $options = ['--workers=1', '--no-access-log', $script, ...array_map(static fn (string $one) => "--ini=$one", $ini)];
        $this->nginx = new Nginx($this->folder, __DIR__ . '/../app', $options, $limits, environment: [
            'HOWDAH_FUZZ_COVERAGE' => $this->coverage->file,
        ] + Sanitized::environment() + getenv());
        $this->nginx->awaitReady();
        if ($this->nginx->client->get('/?status=1')->status !== 200) {
            throw new Fault("the server does not answer: {$this->nginx->log()}");
        }
    }

    /** @return array<int, array{string, string}> requests with their marks */
    private function fresh(): array
    {
        return array_map($this->generator->request(...), range(1, self::LOT));
    }

    /** @return array<int, array{string, string}> */
    private function next(): array
    {
        $lot = $this->fresh();
        foreach ($lot as $number => [$bytes, $mark]) {
            if ($this->kept === [] || $number % 3 === 0) {
                continue;
            }
            $old = $number % 3 === 1 ? $this->generator->one($this->kept) : $bytes;
            $mutant = $this->generator->mutate($old, $this->generator->one($this->kept));
            $lot[$number] = [(string) preg_replace('/mark[0-9a-f]{12}/', $mark, $mutant), $mark];
        }

        return $lot;
    }

    /**
     * @param array<int, array{string, string}> $lot
     * @param callable(): bool                  $keeps
     */
    private function lot(array $lot, int $worker, callable $keeps): void
    {
        $this->marks += array_fill_keys(array_column($lot, 1), true);
        try {
            $this->judge($lot, Crowd::ask($this->nginx->port, array_column($lot, 0), $this->turn(...)));
            $this->second($lot);
            $this->good();
            if ($this->worker() !== $worker) {
                throw new Fault('the worker died');
            }
            if (preg_match(self::FAULTS, $this->nginx->log(), $match) === 1) {
                throw new Fault("the log says $match[0]");
            }
        } catch (Fault $fault) {
            $file = "{$this->root}/build/sanitized/fault-{$this->mode}-" . getmypid();
            file_put_contents($file, serialize($lot));
            throw new Fault(sprintf(
                "%s mode, seed %d: %s\nThe requests: tests/fuzz/run --mode=%s --replay=%s\n%s",
                $this->mode,
                $this->seed,
                $fault->getMessage(),
                $this->mode,
                $file,
                substr($this->nginx->log(), -4000),
            ));
        }
        if ($keeps()) {
            $this->kept = array_slice([...$this->kept, ...array_column($lot, 0)], -self::KEPT);
        }
    }

    /**
     * @param array<int, array{string, string}> $lot
     * @param array<int, ?string>               $answers
     */
    private function judge(array $lot, array $answers): void
    {
        foreach ($answers as $number => $answer) {
            ++$this->requests;
            if ($answer === null) {
                throw new Fault("request $number was neither answered nor closed");
            }
            $status = sscanf($answer, 'HTTP/1.%d %d')[1] ?? 'closed';
            $this->statuses[$status] = ($this->statuses[$status] ?? 0) + 1;
            if (str_contains($answer, 'CHANGED')) {
                throw new Fault("request $number saw its own variables change");
            }
            if (preg_match('/^X-In: j/mi', $answer) === 1) {
                throw new Fault("request $number put a header into its answer");
            }
            preg_match_all('/mark[0-9a-f]{12}/', $answer, $marks);
            // Mutations and chunks cut marks and make others of them, which are nobody's.
            $strangers = array_intersect(array_diff($marks[0], [$lot[$number][1]]), array_keys($this->marks));
            if ($strangers !== [] && !self::has($lot[$number][0], $strangers)) {
                throw new Fault("request $number was told of another's: " . implode(', ', array_slice($strangers, 0, 3)));
            }
        }
    }

    /**
     * Whether it is made of theirs: passwords are not in plain text, nor are chunks in one piece, and the names of headers are
     * told in other letters.
     *
     * @param array<string> $marks
     */
    private static function has(string $request, array $marks): bool
    {
        preg_match_all('~[A-Za-z0-9+/]{16,}=*~', $request, $words);
        $joined = (string) preg_replace('/\r\n[0-9a-fA-F]+(;[^\r\n]*)?\r\n/', '', $request);
        $all = implode("\n", [$request, urldecode($request), $joined, ...array_map(base64_decode(...), $words[0])]);

        return array_filter($marks, static fn (string $mark): bool => stripos($all, $mark) === false) === [];
    }

    /**
     * The first lines of some of them as an HTTP/2 connection's bytes, changed.
     *
     * @param array<int, array{string, string}> $lot
     */
    private function second(array $lot): void
    {
        $connections = [];
        for ($i = 0; $i < self::LOT / self::SECOND; ++$i) {
            [$bytes, $mark] = $lot[$i];
            $connections[] = Frames::of($bytes, $mark, $this->random, $this->generator);
        }
        foreach (Crowd::ask($this->nginx->port2, $connections, $this->turn(...)) as $answer) {
            ++$this->requests;
            if ($answer === null) {
                throw new Fault('an HTTP/2 connection was not closed');
            }
        }
    }

    private function good(): void
    {
        $marks = array_map(
            fn (int $i): string => sprintf('mark%06x%06x', $this->random->getInt(0, 0xffffff), $i),
            range(1, 4)
        );
        $answers = Crowd::ask($this->nginx->port, array_map($this->generator->good(...), $marks));
        foreach ($answers as $number => $answer) {
            ++$this->goods;
            $mark = $marks[$number];
            $right = "\"marks\":[\"$mark\"],\"post\":{\"field\":\"$mark\"},\"files\":{\"file\":1234}}";
            if (!str_ends_with((string) $answer, $right)) {
                throw new Fault('a good request got a wrong answer: ' . var_export($answer, true));
            }
        }
    }

    /** The worker's loop goes round: what it had heard of before has had its turn. PHP is not asked, whose realms may all be busy. */
    private function turn(): void
    {
        $status = $this->nginx->client->get('/turn', [CURLOPT_TIMEOUT => Crowd::PATIENCE_SECONDS])->status;
        if ($status !== 200) {
            throw new Fault("the worker answers nobody any more: status $status");
        }
    }

    /** Every realm is free when nobody asks any more. */
    private function rest(): void
    {
        $clock = Clock::start();
        while (($busy = $this->nginx->client->get('/?status=1')->json()['busy'] ?? null) !== 1) {
            if ($clock->seconds() > Crowd::PATIENCE_SECONDS) {
                throw new Fault('realms are busy still: ' . var_export($busy, true));
            }
            usleep(50_000);
        }
        $left = glob("{$this->folder}/php??????") ?: [];
        if ($left !== []) {
            throw new Fault(count($left) . ' uploaded files are left');
        }
    }

    private function worker(): int
    {
        $clock = Clock::start();
        while (($worker = $this->nginx->workers()[0] ?? 0) === 0) {
            if ($clock->seconds() > Crowd::PATIENCE_SECONDS || !$this->nginx->isRunning()) {
                throw new Fault("no worker: {$this->nginx->log()}");
            }
            usleep(50_000);
        }

        return $worker;
    }

    /** Megabytes. */
    private function resident(int $worker): float
    {
        preg_match('/VmRSS:\s+(\d+)/', (string) file_get_contents("/proc/$worker/status"), $kilobytes);

        return (int) ($kilobytes[1] ?? 0) / 1024;
    }
}
