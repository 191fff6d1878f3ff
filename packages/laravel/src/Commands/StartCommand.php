<?php

declare(strict_types=1);

namespace Howdah\Laravel\Commands;

use Laravel\Octane\Commands\StartCommand as OctaneStartCommand;

/** octane:start, which hands over to octane:howdah as it hands over to octane:frankenphp. */
final class StartCommand extends OctaneStartCommand
{
    use ChoosesHowdah;

    /** @return int */
    public function handle()
    {
        if (!$this->isHowdah()) {
            return parent::handle();
        }
        $options = ['--host' => $this->getHost(), '--port' => $this->getPort()];
        foreach (StartHowdahCommand::OPTIONS as $name) {
            // A later Octane may have fewer.
            if ($this->hasOption($name)) {
                $options["--$name"] = $this->option($name);
            }
        }

        return $this->call('octane:howdah', $options);
    }
}
