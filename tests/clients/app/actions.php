<?php

/** What clients of all kinds are served: an answer that tells what was asked, events, a form. */

declare(strict_types=1);

namespace Howdah\ClientTests\App;

function act(): void
{
    match ('/' . basename((string) parse_url((string) $_SERVER['REQUEST_URI'], PHP_URL_PATH))) {
        '/hello' => print 'hello ' . ($_GET['name'] ?? ''),
        '/wait' => wait(),
        '/meet' => meet((int) $_GET['count'], (string) $_GET['place']),
        '/stay' => stay((string) $_GET['flushed'], (string) $_GET['told']),
        '/events' => events(),
        '/listen' => print listener(),
        '/form' => print form(),
        '/sent' => print sent(),
        default => tell(),
    };
}

function wait(): void
{
    usleep(10_000);
    echo 'waited ', $_GET['number'] ?? '';
}

/** Waits until so many are here: each adds a byte to a file. Those that come behind them are the next ones. Who waits in vain, tells the others. */
function meet(int $count, string $place): void
{
    $file = fopen($place, 'a+') ?: throw new \RuntimeException("$place cannot be opened");
    flock($file, LOCK_EX);
    fwrite($file, '.');
    $needed = (int) ceil(fstat($file)['size'] / $count) * $count;
    flock($file, LOCK_UN);
    for ($tries = 0; fstat($file)['size'] < $needed; $tries++) {
        if ($tries > 10_000 || is_file("$place.alone")) {
            http_response_code(500);
            touch("$place.alone");
            break;
        }
        usleep(5_000);
    }
    echo 'met';
}

/** For longer than its client; tells when it ends. */
function stay(string $flushed, string $told): void
{
    register_shutdown_function(static fn () => file_put_contents($told, (string) connection_status()));
    touch("$told.begun");
    if ($flushed !== '') {
        echo $flushed;
        ob_get_level() > 0 ? ob_flush() : null;
        flush();
    }
    sleep(20);
}

function tell(): void
{
    header('Content-Type: application/json');
    setcookie('visits', (string) ((int) ($_COOKIE['visits'] ?? 0) + 1));
    $body = fopen('php://input', 'r');
    $hash = hash_init('sha256');
    $size = $body === false ? 0 : hash_update_stream($hash, $body);
    $files = [];
    foreach ($_FILES as $name => $file) {
        $files[$name] = [$file['name'], $file['size'], $file['error'], hash_file('sha256', $file['tmp_name'])];
    }
    echo json_encode([
        'method' => $_SERVER['REQUEST_METHOD'],
        'protocol' => $_SERVER['SERVER_PROTOCOL'],
        'scheme' => $_SERVER['REQUEST_SCHEME'],
        'query' => $_GET,
        'post' => $_POST,
        'files' => $files,
        'visits' => (int) ($_COOKIE['visits'] ?? 0),
        'size' => $size,
        'hash' => hash_final($hash),
    ], JSON_THROW_ON_ERROR);
}

/** Five events, one each time that the page has said that it got the one before: what is flushed must arrive. */
function events(): void
{
    header('Content-Type: text/event-stream');
    header('Cache-Control: no-store');
    for ($number = 1; $number <= 5; $number++) {
        echo "id: $number\nevent: step\ndata: ", json_encode(['number' => $number]), "\n\n";
        ob_get_level() > 0 ? ob_flush() : null;
        flush();
        for ($tries = 0; $number < 5 && $tries < 3_000 && !is_file(heard($number)); $tries++) {
            usleep(10_000);
            clearstatcache();
        }
    }
    array_map(unlink(...), array_filter(array_map(heard(...), range(1, 5)), is_file(...)));
}

/** Where a page's word lies that it has heard a number. */
function heard(int $number): string
{
    $page = preg_replace('~\W~', '', (string) ($_GET['page'] ?? ''));

    return sys_get_temp_dir() . "/howdah-heard-$page-$number";
}

function listener(): string
{
    if (isset($_GET['heard'])) {
        touch(heard((int) $_GET['heard']));

        return 'noted';
    }

    return <<<'HTML'
        <!doctype html><title>listening</title>
        <ol></ol>
        <script>
        const page = 'p' + Math.random().toString(36).slice(2);
        const source = new EventSource('/events?page=' + page);
        source.addEventListener('step', async (event) => {
            const item = document.createElement('li');
            item.textContent = event.lastEventId + ':' + JSON.parse(event.data).number;
            document.querySelector('ol').append(item);
            if (event.lastEventId === '5') {
                source.close();
                document.title = 'heard';
            }
            await fetch('/listen?page=' + page + '&heard=' + event.lastEventId);
        });
        </script>
        HTML;
}

function form(): string
{
    return <<<'HTML'
        <!doctype html><title>form</title>
        <form method="post" action="/sent?from=form" enctype="multipart/form-data">
            <input name="name"><textarea name="text"></textarea><input type="file" name="files[]" multiple><button>Send</button>
        </form>
        HTML;
}

function sent(): string
{
    $files = [];
    foreach ($_FILES['files']['name'] ?? [] as $number => $name) {
        $files[] = $name . ':' . hash_file('sha256', $_FILES['files']['tmp_name'][$number]);
    }
    $told = json_encode(['get' => $_GET, 'post' => $_POST, 'files' => $files], JSON_THROW_ON_ERROR | JSON_UNESCAPED_UNICODE);

    return '<!doctype html><meta charset="utf-8"><title>sent</title><pre>' . htmlspecialchars($told) . '</pre>';
}
