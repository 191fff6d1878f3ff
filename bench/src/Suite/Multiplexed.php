<?php

declare(strict_types=1);

namespace Howdah\Bench\Suite;

use Howdah\Bench\Load\Contender;
use Howdah\Bench\Load\Usage;
use Howdah\Bench\Load\WrongAnswer;
use Howdah\Bench\Machine\Missing;
use Howdah\Bench\Report\Goal;
use Howdah\Bench\Report\Metric;
use Howdah\Bench\Report\Samples;
use Howdah\Cli\Failure;
use Howdah\Cli\Program;

/** HTTP/2 without TLS: few connections, many streams at once on each. h2load asks, through a Unix socket: TCP is for HTTP/1. */
final readonly class Multiplexed extends AloneSuite
{
    private const CONNECTIONS = 4;
    private const STREAMS = 32;

    /**
     * @param array<string, string> $sockets    of each contender, by its name
     * @param list<Contender>       $contenders
     * @param list<Goal>            $goals
     */
    public function __construct(
        string $name,
        string $title,
        private array $sockets,
        array $contenders,
        array $goals,
    ) {
        parent::__construct($name, $title, $contenders, $goals);
    }

    protected function measure(Contender $contender, int $seconds, Samples $samples): void
    {
        $h2load = Program::find('h2load') ?? throw new Missing('h2load is not installed (packaging/deps bench)');
        $output = '';
        $usage = Usage::during($contender, function () use (&$output, $h2load, $contender, $seconds): void {
            $told = Program::run([
                $h2load,
                "--base-uri=unix:{$this->sockets[$contender->name]}",
                '--clients=' . self::CONNECTIONS,
                '--max-concurrent-streams=' . self::STREAMS,
                "--duration=$seconds",
                '--no-tls-proto=h2c',
                "http://localhost{$contender->page->path}",
            ]);
            $output = $told->output . $told->errors;
        });
        $counted = preg_match('/(\d+) succeeded, (\d+) failed, (\d+) errored, (\d+) timeout/', $output, $count);
        $bad = preg_match('/status codes: \d+ 2xx, (\d+) 3xx, (\d+) 4xx, (\d+) 5xx/', $output, $statuses);
        if ($counted !== 1 || $bad !== 1) {
            throw new Failure("$contender->name: h2load: $output");
        }
        if ((int) $count[2] + (int) $count[3] + (int) $count[4] + array_sum(array_slice($statuses, 1)) > 0) {
            throw new WrongAnswer("$contender->name: $count[0]; $statuses[0]");
        }
        $contender->check();
        $samples->add($contender->name, Metric::Rate, (int) $count[1] / $seconds);
        $samples->add($contender->name, Metric::PerCore, (int) $count[1] / $seconds / max($usage->server, 0.01));
        $usage->tell($samples, $contender->name);
    }
}
