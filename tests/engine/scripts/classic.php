<?php

// Everything that a request may leave behind, set to this request's number after it was looked for.

declare(strict_types=1);

final class Kept
{
    public static ?string $value = null;
}

function kept(): ?string
{
    static $value = null;
    [$before, $value] = [$value, $_GET['n']];

    return $before;
}

$left = array_filter([
    'static property' => Kept::$value,
    'function static' => kept(),
    'global' => $GLOBALS['kept'] ?? null,
    'constant' => defined('KEPT') ? constant('KEPT') : null,
    'ini' => ini_get('user_agent') ?: null,
    'function' => function_exists('made_at_run_time') ? 'yes' : null,
    'error' => error_get_last(),
]);
Kept::$value = $_GET['n'];
$GLOBALS['kept'] = $_GET['n'];
define('KEPT', $_GET['n']);
ini_set('user_agent', $_GET['n']);
eval('function made_at_run_time() {}');
@trigger_error('left');
usleep(1000);
echo $left === [] && KEPT === $_GET['n'] ? "fresh {$_GET['n']}" : json_encode($left);
