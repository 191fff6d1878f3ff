<?php

/**
 * Worker mode for Laravel without Octane: the application boots once, and each request gets a clone of it.
 *
 * HOWDAH_PROJECT is the application's folder. Nothing is added to the project, and nothing of the project is changed.
 */

declare(strict_types=1);

use Howdah\Worker\Laravel\Application;

// The worker outlives the visitor who closes the connection.
ignore_user_abort(true);

(static function (): void {
    $project = (string) getenv('HOWDAH_PROJECT');
    if (!is_file("$project/bootstrap/app.php")) {
        error_log("howdah: HOWDAH_PROJECT=$project is no Laravel application: start it with `howdah serve`");
        exit(1);
    }
    foreach (['Application', 'Kept', 'Managers', 'Sandbox', 'Statics'] as $class) {
        require __DIR__ . "/laravel/$class.php";
    }
    require "$project/vendor/autoload.php";
    chdir(is_dir("$project/public") ? "$project/public" : $project);
    $application = Application::boot(require "$project/bootstrap/app.php");

    while (frankenphp_handle_request($application->handle(...))) {
    }
})();
