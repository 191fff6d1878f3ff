<?php

declare(strict_types=1);

namespace Howdah\Tests\Phpt;

/** A whole run: the sources, the servers, one or two rounds through Howdah, what php-fpm says to it, the report. */
final class Run
{
    private readonly string $folder;
    private readonly float $start;

    public function __construct(private readonly Options $options, private readonly string $root)
    {
        $this->start = microtime(true);
        // Short: the tests make sockets beside themselves, whose paths may have 107 bytes.
        $this->folder = sys_get_temp_dir() . '/phpt-' . bin2hex(random_bytes(3));
        ini_set('memory_limit', '-1');
        ini_set('pcre.backtrack_limit', '10000000');
        ini_set('pcre.jit', '0'); // as run-tests.php: some expectations are too large for its stack
    }

    public function go(): bool
    {
        $module = "$this->root/build/ngx_http_howdah_module.so";
        if (!is_file($module)) {
            throw new Failure("$module is missing: run `make build`");
        }
        mkdir($this->folder);
        $config = getenv('PHP_CONFIG');
        $machine = new Machine($this->folder, is_string($config) && $config !== '' ? $config : 'php-config');
        $package = 'php' . implode('.', array_slice(explode('.', $machine->version), 0, 2));
        $archive = $this->options->source
            ?? Machine::said([dirname(__DIR__) . '/debian-source', $package, $machine->version, "$this->root/build/phpt"]);
        $sources = new Sources($archive, "$this->folder/php");
        $this->say("tests of PHP $sources->version for PHP $machine->version, in $sources->root");

        $rewinds = $this->options->rewind !== null;
        [$tests, $skipped] = $this->choose($sources, $machine->extensions());
        // The server's own default, which a script cannot change.
        $settings = $rewinds ? ['register_argc_argv' => '0'] : [];
        $settings += $machine->settings($this->options->jit) + $sources->settings();
        $environment = $machine->environment($sources->root);
        $site = new Site($sources->root, $tests, $rewinds ? 'PHPT_SETTINGS' : 'PHP_VALUE');
        $worker = $rewinds ? $this->copyWorker() : null;
        $atOnce = $this->options->atOnce;
        $servers = new Servers($this->folder, $module, $machine, $site, $settings, $environment, $atOnce, $worker);
        try {
            return $this->compare($servers, $tests, $skipped, $machine, $sources);
        } finally {
            $servers->stop();
            if (!$this->options->keep) {
                Machine::said(['rm', '-rf', $this->folder]);
            }
        }
    }

    /** Into a folder of the run: it is the working directory of all tests then. */
    private function copyWorker(): string
    {
        mkdir("$this->folder/worker");
        copy(__DIR__ . '/worker.php', "$this->folder/worker/worker.php");

        return "$this->folder/worker/worker.php";
    }

    /**
     * @param list<string> $loaded
     *
     * @return array{list<Test>, array<string, string>} in the order in which they start, and why the others do not
     */
    private function choose(Sources $sources, array $loaded): array
    {
        $chosen = $skipped = [];
        foreach ($sources->tests($this->options->suites, $loaded) as $test) {
            if (!$this->isWanted($test->name)) {
                continue;
            }
            $obstacle = $test->obstacle($loaded);
            if ($obstacle !== null) {
                $skipped[$test->name] = $obstacle;
                continue;
            }
            $test->write();
            $chosen[] = $test;
        }
        // Who waits long starts first. Neighbours are strangers: those of one folder often use the same files.
        $seed = (string) $this->options->rewind;
        $order = static fn (Test $test): array => [-$test->waits(), crc32($seed . $test->name), $test->name];
        $keys = array_map($order, $chosen);
        array_multisort($keys, $chosen);

        return [$chosen, $skipped];
    }

    private function isWanted(string $name): bool
    {
        foreach ($this->options->filter as $part) {
            if (str_contains($name, $part)) {
                return true;
            }
        }

        return $this->options->filter === [];
    }

    /**
     * @param list<Test>            $tests
     * @param array<string, string> $skipped
     */
    private function compare(Servers $servers, array $tests, array $skipped, Machine $machine, Sources $sources): bool
    {
        $helper = $servers->startFpm();
        $fpm = new Round('php-fpm', $helper, $servers->startNewFpm(), $helper, $this->options->atOnce);
        $skipped += $fpm->skips($tests);
        $tests = array_values(array_filter($tests, static fn (Test $test): bool => !isset($skipped[$test->name])));
        $this->say(count($tests) . ' tests to run');
        $unfit = new Unfit(__DIR__ . "/unfit/$machine->series", "PHP $machine->version, tests of $sources->version");
        $isWhole = $this->options->asksAll || !$unfit->holds || !$this->options->isWhole();
        $reference = new Reference($fpm, $servers, $unfit, $isWhole);
        $tests = $reference->fit($tests);
        $this->say($isWhole ? 'php-fpm is done' : 'php-fpm was asked of those that it does not survive');
        foreach ($reference->unfit as $name) {
            $this->say("  $name: not for Howdah: php-fpm gives no answer, or its child ends");
        }

        $list = $machine->series . ($this->options->rewind === null ? '' : '-rewind');
        $accepted = new Accepted(__DIR__ . "/accepted/$list");
        $comparisons = [];
        $audit = $rewound = null;
        $chaos = $this->options->chaos === 0 ? [] : ['chaos' => $this->options->chaos];
        foreach ([Round::PLAIN => 0, ...$chaos] as $name => $seed) {
            // Switching between any two calls costs time, all the more in tests that compute: 140 s on a quiet machine.
            $patience = $seed === 0 ? 120 : 600;
            $port = $servers->startHowdah($name, $seed);
            $new = $servers->startHowdah("$name-new", $seed, requests: 1);
            $round = new Round($name, $port, $new, $helper, $this->options->atOnce, $patience);
            if ($seed === 0 && $this->options->audit !== 0) {
                $audit = $this->audit($servers, $round, $tests);
            } else {
                $round->run($tests);
            }
            $reference->follow($round);
            // Whom php-fpm fails in the crowd it may pass alone: worth knowing where the answers differ.
            $fpm->tryAlone(static function (Outcome $one) use ($round): bool {
                $other = $round->outcomes[$one->test->name] ?? null;

                return $other !== null && !$other->passes() && !$one->equals($other);
            });
            $round->tryAlone(static fn (Outcome $one): bool => $fpm->outcomes[$one->test->name]->passesAlone());
            $this->say("$name: looking again at what differs");
            if ($this->options->rewind !== null) {
                $rewound = new Rewound($round, [...$servers->obstacles($name), ...$servers->obstacles("$name-new")]);
            }
            $losses = [...$servers->losses($name), ...$servers->losses("$name-new")];
            $comparisons[] = $comparison = new Comparison($fpm, $round, $losses, $accepted);
            $servers->stop($name);
            $servers->stop("$name-new");
            $this->say("$name is done" . ($seed === 0 ? '' : ", with seed $seed"));
            foreach ($comparison->differences as $difference) {
                $this->say("  {$difference->name()}: $difference->kind");
            }
        }
        $outputs = "$this->root/build/phpt/differences";
        Machine::said(['rm', '-rf', $outputs]);
        mkdir($outputs, 0777, true);
        $report = new Report($reference, $skipped, $comparisons, $audit, $rewound, $accepted, $this->options, $outputs);
        if ($this->options->report !== null) {
            $report->write($this->options->report);
        }
        $seed = $this->options->rewind ?? $this->options->chaos;
        $php = "PHP $machine->version, tests of $sources->version, seed $seed";

        return $report->print($php, microtime(true) - $this->start);
    }

    /**
     * A round whose tests are asked of two servers in turn: one is under the audit, the other one is not.
     *
     * @param list<Test> $tests
     */
    private function audit(Servers $servers, Round $round, array $tests): Audit
    {
        $isChosen = fn (Test $test): bool => Audit::chooses($test->name, $this->options->audit);
        $chosen = array_values(array_filter($tests, $isChosen));
        $round->run(array_values(array_filter($tests, static fn (Test $test): bool => !$isChosen($test))));
        $file = "$this->folder/audit.json";
        $round->run($chosen, $servers->startHowdah('audit', 0, $file));
        $servers->stop('audit');
        $this->say('the audit is done');

        return new Audit($file, count($chosen), $servers->losses('audit'), $servers->warnings('audit'));
    }

    private function say(string $what): void
    {
        printf("%4d s  %s\n", (int) (microtime(true) - $this->start), $what);
    }
}
