<?php

/**
 * For tests/isolation: does this request see any other one's state?
 */

declare(strict_types=1);

use Howdah\Tests\Isolation\Probe;

require_once __DIR__ . '/../../../tests/isolation/Probe.php';

try {
    $probe = Probe::fromGlobals();
} catch (InvalidArgumentException $error) {
    http_response_code(400);
    echo $error->getMessage(), "\n";

    return;
}

$visits = null;
if (isset($_GET['session'])) {
    session_start();
    $visits = $_SESSION['visits'] = ($_SESSION['visits'] ?? 0) + 1;
    $_SESSION['mark'] = $probe->mark('session');
    $id = session_id();
    $probe->add('session', (static function () use ($probe, $id): Generator {
        yield static fn (): array => [
            '$_SESSION' => [$probe->mark('session'), $_SESSION['mark'] ?? null],
            'session_id' => [$id, session_id()],
        ];
    })());
}
// The shutdown function adds a line of its own: the client learns that it ran.
$_GET['trailer'] = true;

$answer = $probe->run();
header('Content-Type: application/json');
header("X-Probe-Id: {$probe->id}");
echo json_encode($answer + ['session' => $visits, 'trailer' => true], JSON_THROW_ON_ERROR);
