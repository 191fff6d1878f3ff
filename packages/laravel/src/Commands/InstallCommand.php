<?php

declare(strict_types=1);

namespace Howdah\Laravel\Commands;

use Laravel\Octane\Commands\InstallCommand as OctaneInstallCommand;

/** octane:install --server=howdah. The question which server to take is Octane's, and does not list it. */
final class InstallCommand extends OctaneInstallCommand
{
    /** @return int */
    public function handle()
    {
        if ($this->option('server') !== 'howdah') {
            return parent::handle();
        }
        $this->updateEnvironmentFile('howdah');
        $this->callSilent('vendor:publish', ['--tag' => 'octane-config', '--force' => true]);
        $this->info('Octane installed successfully: `php artisan octane:start` starts Howdah.');
        $this->newLine();

        return self::SUCCESS;
    }
}
