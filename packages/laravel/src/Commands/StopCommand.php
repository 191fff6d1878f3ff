<?php

declare(strict_types=1);

namespace Howdah\Laravel\Commands;

use Howdah\Laravel\HowdahFailure;
use Howdah\Laravel\ServerProcessInspector;
use Laravel\Octane\Commands\StopCommand as OctaneStopCommand;
use Laravel\Octane\FrankenPhp\ServerStateFile;

/** octane:stop. Running requests end first; it returns when the server has stopped. */
final class StopCommand extends OctaneStopCommand
{
    use ChoosesHowdah;

    /** @return int */
    public function handle()
    {
        if (!$this->isHowdah()) {
            return parent::handle();
        }
        $file = app(ServerStateFile::class);
        try {
            $inspector = app(ServerProcessInspector::class);
            if (!$inspector->serverIsRunning()) {
                $file->delete();
                throw new HowdahFailure('Howdah server is not running.');
            }
            $this->info('Stopping server...');
            $inspector->stopServer();
        } catch (HowdahFailure $failure) {
            $this->error($failure->getMessage());

            return self::FAILURE;
        }
        $file->delete();

        return self::SUCCESS;
    }
}
