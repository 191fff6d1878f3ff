<?php

// A worker script that boots as with dotenv: it sets a variable in $_ENV, and takes a secret out of it.

declare(strict_types=1);

if (getenv('NAMES') !== 'late') {
    eval('$_ENV["DOTENV"] = "set by the boot"; unset($_ENV["SECRET"]);');
}

$handler = static function (): void {
    $told = eval('$seen = $_ENV; $_ENV["LEFT"] = $_GET["n"]; return $seen;');
    print(json_encode([
        $told['DOTENV'] ?? null, $told['SECRET'] ?? null, $told['LEFT'] ?? null, isset($told['REQUEST_METHOD']),
        filter_input(INPUT_ENV, 'GIVEN'),
    ]) . "\n");
};

while (frankenphp_handle_request($handler)) {
}
