<?php

/**
 * A worker script that does between two requests what the last one has asked for, when its client has the answer. The next one
 * prints the name of the deed and what it came to.
 */

declare(strict_types=1);

$deeds = [
    'print' => static fn (): int => print 'printed between',
    'buffer' => static function (): string {
        ob_start();
        print 'buffered';

        return ob_get_clean() . ob_get_level();
    },
    'buffers' => static fn (): bool => ob_start() && ob_start() && ob_end_clean() && ob_end_clean(),
    'left open' => static function (): bool {
        ob_start(static fn (string $text): string => strtoupper($text));
        print 'left open';

        return ob_start();
    },
    'throws at the end' => static fn (): bool => ob_start(static fn () => throw new RuntimeException('thrown late')),
    'flush' => static function (): string {
        ob_start();
        print 'flushed between';
        ob_end_flush();
        flush();

        return 'flushed';
    },
    'compress' => static function (): bool {
        ob_start('ob_gzhandler');
        print 'z';

        return ob_end_clean();
    },
    'rewrite' => static function (): bool {
        output_add_rewrite_var('a', 'b');
        print '<a href="x">';

        return output_reset_rewrite_vars();
    },
    'export' => static fn (): string => print_r([1], true) . var_export(2, true) . highlight_string('<?php 3;', true),
    'header' => static function (): string {
        header('HTTP/1.1 404 Between');
        header('Content-Type: text/between');
        header('X-Between: 1');
        setcookie('between', '1');

        return count(headers_list()) . var_export(headers_sent(), true);
    },
    'session' => static function (): string {
        $started = session_start();
        $_SESSION['between'] = 1;

        return var_export($started, true);
    },
    'input' => static fn (): string => 'read ' . strlen((string) file_get_contents('php://input')),
    'errors' => static function (): string {
        ini_set('display_errors', '1');
        trigger_error('raised between', E_USER_WARNING);
        ini_set('display_errors', '0');
        error_log('logged between');
        $last = error_get_last();

        return $last['message'] ?? 'none';
    },
    'finish' => static fn (): string => var_export([fastcgi_finish_request(), headers_send(103), headers_send()], true),
    'trailer' => static fn (): bool => Howdah\trailer('X-Trailer', '1'),
    'variables' => static fn (): array => [Howdah\request_variables('REQUEST_URI'), getallheaders(), getenv('REQUEST_URI')],
    'status' => static fn (): int => Howdah\status()['realms'],
    'limits' => static fn (): bool => set_time_limit(5),
    'fiber' => static function (): string {
        $fiber = new Fiber(static function (): void {
            ob_start();
            print 'in a fiber';
            Fiber::suspend((string) ob_get_clean());
        });

        return $fiber->start();
    },
    'garbage' => static function (): int {
        $loop = new class () {
            public ?object $self = null;

            public function __destruct()
            {
                ob_start();
                print 'destroyed';
                ob_end_clean();
            }
        };
        $loop->self = $loop;
        unset($loop);

        return gc_collect_cycles();
    },
    'filter' => static fn (): string => var_export(filter_input(INPUT_GET, 'do'), true),
    'info' => static function (): string {
        ob_start();
        phpinfo(INFO_VARIABLES);

        return strlen((string) ob_get_clean()) > 100 ? 'info' : 'none';
    },
    'end' => static fn () => exit('ended between'),
    'throw' => static fn () => throw new RuntimeException('thrown between'),
    'fatal' => static fn () => eval('abstract class Between { abstract function f(); } new Between;'),
];

$names = array_keys($deeds);
$next = 0;
$came = 'nothing yet';
$handler = static function () use (&$next, &$came, $names): void {
    $asked = $_GET['do'] ?? '';
    echo "[{$came}][", implode(' ', headers_list()), '|', ob_get_level(), '|', session_status(), ']';
    $next = is_numeric($asked) ? ($names[(int) $asked % count($names)]) : $asked;
};
while (frankenphp_handle_request($handler)) {
    $deed = $deeds[$next] ?? null;
    $came = $deed ? "{$next}: " . var_export($deed(), true) : 'nothing';
}
