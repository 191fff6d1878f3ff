<?php

// An application that uses all that may stay behind: sessions, uploads, php://input, filters, buffers, cookies, headers.

declare(strict_types=1);

ini_set('session.save_path', (string) getenv('HOWDAH_TEST_SESSIONS'));

$handler = static function (): void {
    session_id('visitor' . (int) $_GET['n'] % 50);
    session_start();
    $_SESSION['count'] = ($_SESSION['count'] ?? 0) + 1;
    file_get_contents('php://input');
    if (isset($_FILES['f'])) {
        file_get_contents($_FILES['f']['tmp_name']);
    }
    filter_input(INPUT_GET, 'n');
    header('X-A: b');
    setcookie('a', 'b');
    ob_start();
    echo 'x';
    ob_end_clean();
    register_shutdown_function(static fn () => null);
    @trigger_error('an error to remember');
    echo 'ok';
};
while (frankenphp_handle_request($handler)) {
}
