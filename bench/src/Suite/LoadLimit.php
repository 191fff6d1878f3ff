<?php

declare(strict_types=1);

namespace Howdah\Bench\Suite;

use Howdah\Bench\Report\Metric;
use Howdah\Bench\Report\Samples;

/** The load generators have one thread: where that was busy and the server was not, the figure is the generator's. */
final class LoadLimit
{
    /** From here on, of one core, we call it busy. */
    private const BUSY = 0.9;

    /** @return array<string, string> contenders that could do more than wrk asked for */
    public static function in(Samples $samples): array
    {
        $limited = [];
        foreach ($samples->contenders() as $contender) {
            if (!$samples->has($contender, Metric::LoadCpu) || !$samples->has($contender, Metric::ServerCpu)) {
                continue;
            }
            $load = $samples->series($contender, Metric::LoadCpu)->median();
            $server = $samples->series($contender, Metric::ServerCpu)->median();
            if ($load >= self::BUSY && $server < self::BUSY) {
                $figures = sprintf('(%.2f of a core, the server %.2f)', $load, $server);
                $limited[$contender] = "was limited by the load generator $figures and can do more than shown";
            }
        }

        return $limited;
    }
}
