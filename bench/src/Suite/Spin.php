<?php

declare(strict_types=1);

namespace Howdah\Bench\Suite;

use Howdah\Bench\Load\Answer;
use Howdah\Bench\Load\Contender;
use Howdah\Bench\Load\Load;
use Howdah\Bench\Load\WrongAnswer;
use Howdah\Bench\Report\Goal;
use Howdah\Bench\Report\Samples;
use Howdah\Cli\Failure;

/** How long others wait while one request computes all the time. */
final readonly class Spin extends AloneSuite
{
    /** A load takes a second to warm up and some time for checks; the one that computes goes on for so much longer. */
    private const SECONDS_MORE = 4;

    /**
     * @param list<Contender> $contenders whose page also takes ?spin_ms=
     * @param list<Goal>      $goals
     */
    public function __construct(
        string $name,
        string $title,
        private Load $load,
        array $contenders,
        array $goals,
    ) {
        parent::__construct($name, $title, $contenders, $goals);
    }

    protected function measure(Contender $contender, int $seconds, Samples $samples): void
    {
        $milliseconds = ($seconds + self::SECONDS_MORE) * 1000;
        $spinning = Answer::ask($contender->port(), "/?spin_ms=$milliseconds")
            ?? throw new Failure("$contender->name: the connection for the request that computes was refused");
        try {
            $this->load->measure($contender, $seconds, $samples);
            stream_set_blocking($spinning, false);
            if (fread($spinning, 1) !== '') {
                throw new WrongAnswer("$contender->name: the request that computes was over before the measurement");
            }
        } finally {
            fclose($spinning);
        }
    }
}
