<?php

/* worker.php PROJECT SCRIPT: runs a worker script of bench/app on RoadRunner, with the packages of a project. */

declare(strict_types=1);

[, $project, $script] = $_SERVER['argv'];
require "$project/vendor/autoload.php";
require __DIR__ . '/loop.php';
require $script;
