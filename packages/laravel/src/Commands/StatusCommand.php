<?php

declare(strict_types=1);

namespace Howdah\Laravel\Commands;

use Howdah\Laravel\ServerProcessInspector;
use Laravel\Octane\Commands\StatusCommand as OctaneStatusCommand;

/** octane:status: exit status 0 where the server runs. */
final class StatusCommand extends OctaneStatusCommand
{
    use ChoosesHowdah;

    /** @return int */
    public function handle()
    {
        if (!$this->isHowdah()) {
            return parent::handle();
        }
        $isRunning = app(ServerProcessInspector::class)->serverIsRunning();
        $this->info($isRunning ? 'Octane server is running.' : 'Octane server is not running.');

        return $isRunning ? self::SUCCESS : self::FAILURE;
    }
}
