<?php

/**
 * What runs when a request ends says so in the log: shutdown functions, and destructors of what globals, statics and others
 * hold. With /?throw=1 the destructor of one of them throws. One request in classic mode, and each of worker mode.
 */

declare(strict_types=1);

final class End
{
    /** @var list<self> */
    public static array $kept = [];

    public function __construct(private readonly string $name, public ?self $other = null)
    {
    }

    public function __destruct()
    {
        error_log("end: {$this->name}");
        match ($this->name) {
            'one that makes another' => $GLOBALS['made'] = new self('one that was made'),
            'one that throws' => isset($_GET['throw']) ? throw new RuntimeException('end: thrown') : null,
            default => null,
        };
    }
}

function keep(): void
{
    static $static;
    $static = new End('static');
}

$first = new End('first global');
$held = new End('held by another');
$holder = new End('holder', $held);
$throws = new End('one that throws');
register_shutdown_function(static function (): void {
    error_log('end: function of the boot, ' . (isset($GLOBALS['first']) ? 'globals are there' : 'globals have gone'));
});
$answer = static function (): void {
    keep();
    End::$kept[] = new End('static member');
    $GLOBALS['makes'] = new End('one that makes another');
    $GLOBALS['last'] = new End('global of the request');
    register_shutdown_function(static fn () => error_log('end: function of the request'));
};
$after = static fn () => register_shutdown_function(static fn () => error_log('end: function of what follows'));

if (empty($_SERVER['FRANKENPHP_WORKER'])) {
    $answer();
    $after();

    return;
}
while (frankenphp_handle_request($answer)) {
    $after();
}
