<?php

// A worker script whose own code names none of the superglobals that are made late: only what ?do= asks for does.

declare(strict_types=1);

$named = static fn (string $name): string => array_key_exists($name, $GLOBALS) ? 'there' : 'not there';

$handler = static function () use ($named): void {
    $query = eval('return $_GET["do"] ?? "";') === 'named' ? eval('return $_SERVER["QUERY_STRING"];') : 'not asked';
    [$method, $chosen, $none] = Howdah\request_variables('REQUEST_METHOD', 'QUERY_STRING', 'NOBODY_SENT_THIS');
    print("[{$named('_SERVER')} {$named('_REQUEST')} $query $method $chosen " . var_export($none, true) . ']');
};

while (frankenphp_handle_request($handler)) {
}
