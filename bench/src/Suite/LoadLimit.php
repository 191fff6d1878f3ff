<?php

declare(strict_types=1);

namespace Howdah\Bench\Suite;

use Howdah\Bench\Report\Metric;
use Howdah\Bench\Report\Samples;

/** wrk has one thread: where that was busy and the server was not, the figure is wrk's. */
final class LoadLimit
{
    /** From here on, of one core, we call it busy. */
    private const BUSY = 0.9;

    /** @return array<string, string> contenders that could do more than wrk asked for */
    public static function in(Samples $samples): array
    {
        $limited = [];
        foreach ($samples->contenders() as $contender) {
            $load = $samples->series($contender, Metric::LoadCpu)->median();
            $server = $samples->series($contender, Metric::ServerCpu)->median();
            if ($load >= self::BUSY && $server < self::BUSY) {
                $limited[$contender] = sprintf('was limited by wrk (%.2f of a core, the server %.2f)', $load, $server);
            }
        }

        return $limited;
    }
}
