<?php

declare(strict_types=1);

namespace Howdah\Laravel\Commands;

use Howdah\Laravel\HowdahFailure;
use Howdah\Laravel\ServerProcessInspector;
use Laravel\Octane\Commands\ReloadCommand as OctaneReloadCommand;

/** octane:reload. The outcome is in the server's output: where the new code does not boot, the old workers go on. */
final class ReloadCommand extends OctaneReloadCommand
{
    use ChoosesHowdah;

    /** @return int */
    public function handle()
    {
        if (!$this->isHowdah()) {
            return parent::handle();
        }
        try {
            $inspector = app(ServerProcessInspector::class);
            if (!$inspector->serverIsRunning()) {
                throw new HowdahFailure('Octane server is not running.');
            }
            $this->info('Reloading workers...');
            $inspector->reloadServer();
        } catch (HowdahFailure $failure) {
            $this->error($failure->getMessage());

            return self::FAILURE;
        }

        return self::SUCCESS;
    }
}
