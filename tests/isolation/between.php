<?php

/**
 * What a request leaves in PHP's modules, by the names of docs/between-requests.md. Requests come in pairs: the first one
 * leaves something (?n= is even), the other one looks. In classic mode it finds what PHP begins each request with.
 */

declare(strict_types=1);

/** @return array<string, array{callable(): mixed, callable(): mixed}> who leaves something, and who looks: what it prints or returns */
function probes(): array
{
    $needs = static fn (string $function, callable $call): callable
        => static fn (): mixed => function_exists($function) ? $call() : 'absent';
    $nextSecond = static function (): void {
        for ($second = time(); time() === $second;) {
            usleep(5_000);
        }
    };

    return [
        'strtok' => [static fn () => strtok('one two three', ' '), static fn () => @strtok(' ')],
        'rewriter' => [
            static fn () => output_add_rewrite_var('left', 'by the last one') && print('<form></form>'),
            static fn () => output_add_rewrite_var('own', 'value') && print('<a href="x.php"></a><form></form>'),
        ],
        'stat' => [
            static fn () => file_put_contents(temporary(), '') . filesize(temporary()) . exec('echo more > ' . temporary()),
            static fn () => filesize(temporary()) . var_export(unlink(temporary()), true),
        ],
        'http' => [
            $needs('http_get_last_response_headers', static fn () => @file_get_contents('http://127.0.0.1:1/')),
            $needs('http_get_last_response_headers', static fn () => eval('return http_get_last_response_headers();')),
        ],
        'locale' => [static fn () => setlocale(LC_COLLATE, 'C.UTF-8'), static fn () => setlocale(LC_COLLATE, '0')],
        'environment' => [static fn () => putenv('LEFT=1'), static fn () => getenv('LEFT')],
        'umask' => [static fn () => umask(0o077), static fn () => umask()],
        'context' => [
            static fn () => is_resource(stream_context_set_default(['http' => ['method' => 'PUT']])),
            static fn () => stream_context_get_options(stream_context_get_default()),
        ],
        'wrapper' => [
            static fn () => stream_wrapper_unregister('glob'),
            static fn () => in_array('glob', stream_get_wrappers(), true),
        ],
        'filter' => [
            static fn () => stream_filter_register('left', php_user_filter::class),
            static fn () => in_array('left', stream_get_filters(), true),
        ],
        'assert' => [
            static fn () => @assert_options(ASSERT_CALLBACK, 'strlen'),
            static fn () => @assert_options(ASSERT_CALLBACK),
        ],
        'folder' => [static fn () => is_resource(opendir('/')), static function (): mixed {
            try {
                return is_string(@readdir());
            } catch (TypeError) {
                return false;
            }
        }],
        'shutdown' => [
            static fn () => register_shutdown_function(static fn () => print(' at the end')),
            static fn () => 'nothing more',
        ],
        'json' => [static fn () => json_decode('{'), static fn () => json_last_error_msg()],
        'preg' => [static fn () => @preg_match('//u', "\xff"), static fn () => preg_last_error_msg()],
        'seed' => [static fn () => mt_srand(1), static fn () => mt_rand() === 895547922 ? 'foretold' : 'random'],
        'date' => [static fn () => date_create('nonsense'), static fn () => DateTime::getLastErrors()],
        'timezone' => [static fn () => date_default_timezone_set('Asia/Tokyo'), static fn () => date_default_timezone_get()],
        'xml' => [
            static fn () => @simplexml_load_string('<a'),
            static fn () => libxml_get_last_error() === false ? 'none' : 'an error',
        ],
        'xml-list' => [
            static fn () => libxml_use_internal_errors(true) . (simplexml_load_string('<a') === false),
            static fn () => count(libxml_get_errors()),
        ],
        'xml-errors' => [
            static fn () => libxml_use_internal_errors(true),
            static fn () => libxml_use_internal_errors(false),
        ],
        'xml-loader' => [
            static fn () => libxml_set_external_entity_loader(static fn () => null),
            static fn () => libxml_get_external_entity_loader() === null ? 'none' : 'one',
        ],
        'mb-illegal' => [
            static fn () => mb_convert_encoding("\xff", 'UTF-8', 'UTF-8'),
            static fn () => mb_get_info('illegal_chars'),
        ],
        'mb-input' => [static fn () => mb_parse_str('a=b', $parsed), static fn () => mb_http_input()],
        'mb-encoding' => [static fn () => mb_internal_encoding('ISO-8859-1'), static fn () => mb_internal_encoding()],
        'mb-search' => [
            $needs('mb_ereg_search_init', static fn () => mb_ereg_search_init('one two', 'o')),
            $needs('mb_ereg_search_init', static function (): string {
                try {
                    return var_export(mb_ereg_search(), true);
                } catch (Error $error) {
                    return $error->getMessage();
                }
            }),
        ],
        'mysqli' => [
            $needs('mysqli_connect', static fn () => mysqli_report(MYSQLI_REPORT_OFF) && @mysqli_connect('127.0.0.1', port: 1)),
            $needs('mysqli_connect', static fn () => [mysqli_connect_errno(), mysqli_connect_error()]),
        ],
        'mysqli-report' => [
            $needs('mysqli_report', static fn () => mysqli_report(MYSQLI_REPORT_ALL)),
            $needs('mysqli_report', static fn () => (new mysqli_driver())->report_mode),
        ],
        'intl' => [
            $needs('intl_get_error_code', static fn () => IntlChar::charFromName('no such letter')),
            $needs('intl_get_error_code', static fn () => intl_get_error_code()),
        ],
        'gmp' => [
            $needs('gmp_random_seed', static fn () => gmp_random_seed(1)),
            $needs('gmp_random_seed', static function (): string {
                $drawn = (string) gmp_random_bits(200);
                gmp_random_seed(1);

                return $drawn === (string) gmp_random_bits(200) ? 'foretold' : 'random';
            }),
        ],
        'imap' => [
            $needs('imap_open', static fn () => @imap_open('{127.0.0.1:1/novalidate-cert}INBOX', '', '') === false),
            $needs('imap_open', static fn () => imap_last_error()),
        ],
        'odbc' => [
            $needs('odbc_connect', static fn () => @odbc_connect('nothing', '', '')),
            $needs('odbc_connect', static fn () => odbc_error()),
        ],
        'autoload' => [
            static fn () => spl_autoload_register(static fn () => null),
            static fn () => count(spl_autoload_functions()),
        ],
        'input' => [static fn () => $_GET['n'] = 'changed', static fn () => filter_input(INPUT_GET, 'n') === $_GET['n']],
        'session' => [static fn () => session_id('left'), static fn () => session_id()],
        'session-links' => [
            static fn () => session_id('left') . var_export(session_start(), true) . print('<a href="x.php"></a>'),
            static fn () => session_id('own') . var_export(session_start(), true) . print('<a href="x.php"></a>'),
        ],
        'time-opcache' => [$nextSecond, static function (): mixed {
            $file = temporary('.php');
            file_put_contents($file, '<?php return 1;');
            opcache_compile_file($file);
            $file = (string) realpath($file);
            unlink($file);
            $scripts = (opcache_get_status() ?: [])['scripts'] ?? [];
            $used = is_array($scripts) && is_array($scripts[$file] ?? null) ? $scripts[$file]['last_used_timestamp'] : null;

            return $used === null ? 'not cached' : $used === $_SERVER['REQUEST_TIME'];
        }],
        'time-apcu' => [
            $needs('apcu_store', static fn () => apcu_store('left', 1) && $nextSecond()),
            $needs('apcu_store', static fn () => apcu_store('left', 1)
                ? (apcu_key_info('left') ?? [])['creation_time'] === $_SERVER['REQUEST_TIME']
                : 'off'),
        ],
    ];
}

/** A file of this process. */
function temporary(string $suffix = ''): string
{
    return sys_get_temp_dir() . '/howdah-between-' . getmypid() . $suffix;
}

$handler = static function (): void {
    $probes = probes();
    $number = is_string($_GET['n']) ? (int) $_GET['n'] : 0;
    $names = array_keys($probes);
    $name = $names[intdiv($number, 2)] ?? null;
    if ($name === null) {
        print("\n" . json_encode($names));
        return;
    }
    print("\n$name: ");
    $answer = $probes[$name][$number % 2]();
    print(serialize($answer));
};

if (Howdah\status()['mode'] === 'worker') {
    while (frankenphp_handle_request($handler)) {
    }
} else {
    $handler();
}
