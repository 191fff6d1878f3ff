<?php

/**
 * What a request finds, and what it leaves behind: /?do=KIND,KIND[&one=2]: all of these, or the one of that number. Each
 * request answers with what it has found, before it does what it is told. With rewind all answers of a realm are the same.
 */

declare(strict_types=1);

final class Leak
{
    /** @var list<mixed> */
    public static array $kept = [];

    public static int $booted = 0;

    public function __construct(private readonly string $name)
    {
    }

    public function __destruct()
    {
        error_log("destructor of {$this->name}");
    }
}

final class Wrapper
{
    /** @var resource */
    public $context;
}

/** A stream of PHP code that does something when it is closed, at the request's end. */
final class Closing
{
    /** @var resource */
    public $context;

    public static Closure $does;

    public function stream_open(): bool
    {
        return true;
    }

    public function stream_close(): void
    {
        (self::$does)();
    }

    public static function with(Closure $does): void
    {
        stream_wrapper_register('closing', self::class);
        self::$does = $does;
        Leak::$kept[] = fopen('closing://', 'r');
    }
}

/** What the boot has made of PHP's own classes, and a request may change: all of it is memory of the request's heap. */
final class Things
{
    public readonly Generator $numbers;
    public readonly HashContext $hash;
    public readonly ArrayIterator $list;
    public readonly SplMinHeap $heap;
    public readonly SplObjectStorage $store;
    public readonly WeakMap $weak;
    public readonly DateTime $time;

    /** @var resource */
    public readonly mixed $memory;

    public function __construct()
    {
        $this->numbers = (static fn () => yield from range(1, 9))();
        $this->numbers->current();
        $this->hash = hash_init('sha256');
        $this->list = new ArrayIterator([1, 2, 3]);
        $this->heap = new SplMinHeap();
        $this->store = new SplObjectStorage();
        $this->weak = new WeakMap();
        $this->time = new DateTime('2001-01-01');
        $memory = fopen('php://memory', 'w+');
        $this->memory = $memory === false ? throw new RuntimeException('no memory') : $memory;
    }

    /** @return list<mixed> */
    public function found(): array
    {
        return [
            $this->numbers->current(), hash_final(hash_copy($this->hash)), $this->list->key(), count($this->heap),
            count($this->store), count($this->weak), $this->time->format('c'), fstat($this->memory)['size'] ?? null,
        ];
    }

    public function change(): void
    {
        $this->numbers->next();
        hash_update($this->hash, 'left');
        $this->list->next();
        $this->heap->insert(1);
        $this->store[$this->store] = $this;
        $this->weak[$this] = $this->weak;
        $this->time->modify('+1 year');
        fwrite($this->memory, str_repeat('x', 10_000));
        stream_filter_append($this->memory, 'string.rot13');
    }
}

/** @return array<string, mixed> */
function found(): array
{
    return [
        'things' => $GLOBALS['things'] instanceof Things ? $GLOBALS['things']->found() : null,
        'memory' => memory_get_usage(),
        'kept' => count(Leak::$kept),
        'booted' => Leak::$booted,
        'global' => $GLOBALS['left'] ?? null,
        'app' => count((array) $GLOBALS['app']),
        'functions' => count(get_defined_functions()['user']),
        'classes' => count(get_declared_classes()),
        'constants' => count(get_defined_constants()),
        'included' => get_included_files(),
        'ini' => hash('crc32b', serialize(ini_get_all())),
        'reporting' => error_reporting(),
        'error handler' => get_debug_type(set_error_handler(null)),
        'exception handler' => get_debug_type(set_exception_handler(null)),
        'last error' => error_get_last(),
        'autoloaders' => count(spl_autoload_functions()),
        'zone' => date_default_timezone_get(),
        'locale' => setlocale(LC_ALL, '0'),
        'umask' => umask(),
        'folder' => getcwd(),
        'environment' => getenv('LEFT'),
        'wrappers' => stream_get_wrappers(),
        'filters' => stream_get_filters(),
        'buffers' => ob_get_level(),
        'gc' => [gc_enabled(), gc_status()['roots']],
        'encoding' => function_exists('mb_internal_encoding') ? [mb_internal_encoding(), mb_detect_order()] : null,
        'session' => function_exists('session_status') ? [session_status(), session_id(), $_SESSION ?? null] : null,
        'xml' => function_exists('libxml_use_internal_errors') ? libxml_use_internal_errors() : null,
        'intl' => class_exists('Locale', false) ? Locale::getDefault() : null,
        'descriptors' => count(scandir('/proc/self/fd') ?: []),
        'objects' => spl_object_id(new stdClass()),
        'abort' => ignore_user_abort(),
        'static' => counter(),
        'limit' => ini_get('max_execution_time'),
        'path' => get_include_path(),
        'matches' => preg_match('/(*NO_JIT)\w+ \w+f$/', 'what is left of the limits of'),
    ];
}

function counter(): int
{
    static $count = 0;

    return ++$count;
}

/** @return array<string, Closure(): mixed> */
function kinds(): array
{
    return [
        'nothing' => static fn () => null,
        'static' => static fn () => Leak::$kept[] = str_repeat('x', 100),
        'megabytes' => static fn () => Leak::$kept[] = str_repeat('x', 9_000_000),
        'chunks' => static function (): void {
            for ($i = 0; $i < 3000; $i++) {
                Leak::$kept[] = str_repeat('x', 3000);
            }
        },
        'global' => static fn () => $GLOBALS['left'] = 'behind',
        'things' => static fn () => $GLOBALS['things'] instanceof Things && $GLOBALS['things']->change(),
        'application' => static fn () => $GLOBALS['app']->listeners[] = static fn () => 1,
        'unset' => static function (): void {
            unset($GLOBALS['app']->name, $GLOBALS['app']->list);
            $GLOBALS['app'] = (object) ['other' => 1];
        },
        'cycle' => static function (): void {
            for ($i = 0; $i < 500; $i++) {
                $a = new stdClass();
                $a->self = $a;
            }
        },
        'class' => static fn () => eval('final class Later { const X = [1, 2]; static $y = []; } Later::$y[] = new Later;'),
        'classes' => static function (): void {
            for ($i = 0; $i < 500; $i++) {
                eval("class Later$i { static \$x = []; } function later$i() { static \$y = 1; } later$i(); const L$i = [1];");
            }
        },
        'function' => static fn () => eval('function later() { static $x = 1; return $x++; } later();'),
        'constant' => static fn () => define('LATER', ['x' => new stdClass()]),
        'include' => static fn () => require __DIR__ . '/rewind-included.php',
        'ini' => static function (): void {
            ini_set('precision', '3');
            ini_set('memory_limit', '99M');
            ini_set('date.timezone', 'Asia/Tokyo');
            ini_set('include_path', '/tmp');
            ini_set('error_log', '/dev/null');
            ini_set('session.name', 'other');
        },
        'reporting' => static fn () => error_reporting(0),
        'handlers' => static function (): void {
            set_error_handler(static fn () => true);
            set_exception_handler(static fn () => null);
        },
        'last error' => static fn () => @trigger_error('left behind'),
        'autoloader' => static fn () => spl_autoload_register(static fn (string $class) => null),
        'zone' => static fn () => date_default_timezone_set('Europe/Rome'),
        'locale' => static fn () => setlocale(LC_ALL, 'C.UTF-8', 'C.utf8'),
        'umask' => static fn () => umask(0o77),
        'wrapper' => static fn () => stream_wrapper_register('left', Wrapper::class),
        'no wrapper' => static fn () => stream_wrapper_unregister('data'),
        'filter' => static fn () => stream_filter_register('left', php_user_filter::class),
        'buffer' => static fn () => ob_start(static fn (string $text) => $text),
        'collector' => static fn () => gc_enable(),
        // More than the collector's buffer has room for at first.
        'roots' => static function (): void {
            for ($i = 0; $i < 40_000; $i++) {
                Leak::$kept[] = $object = new stdClass();
                $object->self = Leak::$booted;
            }
        },
        'ticks' => static fn () => register_tick_function(static fn () => null),
        'host' => static fn () => gethostbyname('127.0.0.1'),
        'no collector' => static fn () => gc_disable(),
        'encoding' => static function (): void {
            mb_internal_encoding('ISO-8859-1');
            mb_detect_order(['ASCII', 'SJIS']);
        },
        'session' => static function (): void {
            session_id('left' . bin2hex(random_bytes(8)));
            session_start();
            $_SESSION['left'] = new stdClass();
        },
        'collected session' => static function (): void {
            session_set_save_handler(new class () extends SessionHandler {
                public function gc(int $max_lifetime): int|false
                {
                    error_log('old sessions are collected');

                    return 0;
                }
            });
            session_start();
        },
        'xml' => static function (): void {
            libxml_use_internal_errors(true);
            (new DOMDocument())->loadXML('<a><b></a>');
            Leak::$kept[] = $document = new DOMDocument();
            $document->loadXML('<a><b/></a>');
            Leak::$kept[] = simplexml_import_dom($document);
        },
        'intl' => static function (): void {
            Locale::setDefault('de_DE');
            Leak::$kept[] = new NumberFormatter('fr_FR', NumberFormatter::DECIMAL);
            grapheme_substr('äöü', 1, 1);
        },
        'descriptors' => static function (): void {
            Leak::$kept[] = fopen(__FILE__, 'r');
            Leak::$kept[] = tmpfile();
            Leak::$kept[] = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0);
            Leak::$kept[] = stream_context_create(['http' => ['header' => 'x']]);
        },
        'child' => static fn () => Leak::$kept[] = proc_open(['sleep', '0'], [['pipe', 'r'], ['pipe', 'w']], $pipes),
        'lock' => static function (): void {
            Leak::$kept[] = $file = fopen(sys_get_temp_dir() . '/howdah-rewind-' . getmypid(), 'c');
            if (!flock($file, LOCK_EX | LOCK_NB)) {
                throw new RuntimeException('still locked');
            }
        },
        'connections' => static function (): void {
            Leak::$kept[] = $database = new PDO('sqlite::memory:');
            $database->exec('create table t (a)');
            Leak::$kept[] = $database->query('select * from t');
            Leak::$kept[] = curl_init('http://127.0.0.1:9/');
            Leak::$kept[] = hash_init('sha256');
        },
        'suspended' => static function (): void {
            Leak::$kept[] = $fiber = new Fiber(static function (): void {
                Fiber::suspend(str_repeat('x', 100));
            });
            $fiber->start();
            Leak::$kept[] = $generator = (static function () {
                try {
                    yield 1;
                } finally {
                    Leak::$booted++;
                }
            })();
            $generator->current();
        },
        'weak' => static function (): void {
            Leak::$kept[] = $map = new WeakMap();
            $map[$GLOBALS['app']] = new ArrayObject([1]);
            Leak::$kept[] = WeakReference::create($GLOBALS['app']);
        },
        'mb_ereg' => static function (): void {
            mb_regex_encoding('EUC-JP');
            mb_ereg('left', 'left behind');
            mb_ereg_search_init('left behind', 'l.');
            mb_ereg_search();
        },
        'abort' => static fn () => ignore_user_abort(true),
        'limit' => static fn () => set_time_limit(77),
        'pattern limits' => static function (): void {
            ini_set('pcre.backtrack_limit', '2');
            ini_set('pcre.jit', '0');
        },
        'patterns' => static fn () => preg_replace_callback('/(?<name>left)/', static fn () => '', 'left'),
        'object' => static fn () => Leak::$kept[] = new Leak('what is kept'),
        'shutdown' => static fn () => register_shutdown_function(static fn () => Leak::$booted++),
        'dates' => static fn () => Leak::$kept[] = [
            new DateTimeImmutable('now', new DateTimeZone('Europe/Berlin')),
            new DatePeriod(new DateTime(), new DateInterval('P1D'), 3),
        ],
        'sort of the settings' => static fn () => ini_get_all('session'),
        'random' => static function (): void {
            mt_srand(42);
            mt_rand();
        },
        'persistent' => static fn () => Leak::$kept[] = pfsockopen('udp://127.0.0.1', 9),
        'closing' => static fn () => Closing::with(static function (): void {
            echo 'to nobody';
            ob_start();
            Leak::$kept[] = fopen(__FILE__, 'r');
            ini_set('precision', '4');
            umask(0o70);
        }),
        // What is not put back: the realm is replaced.
        'folder at last' => static fn () => Closing::with(static fn () => chdir('/')),
        'stream at last' => static fn () => Closing::with(static function (): void {
            Leak::$kept[] = fopen('closing://', 'r');
        }),
        'session at last' => static fn () => Closing::with(static fn () => session_start(['use_cookies' => 0])),
        'throws at last' => static fn () => Closing::with(static fn () => throw new RuntimeException('thrown at last')),
        'destructor' => static fn () => Leak::$kept[] = new class () {
            public function __destruct()
            {
                throw new RuntimeException('thrown by a destructor');
            }
        },
        'folder' => static fn () => chdir('/'),
        'environment' => static fn () => putenv('LEFT=behind'),
        'mb_regex_set_options' => static fn () => mb_regex_set_options('i'),
        // A list of mbstring is freed, and the last one has its address.
        'charset' => static function (): void {
            ini_set('input_encoding', 'SJIS');
            ini_set('input_encoding', 'EUC-JP');
        },
        'mbstring' => static fn () => ini_set('mbstring.language', 'Japanese'),
    ];
}

$app = new class () {
    public string $name = 'application';

    /** @var list<stdClass> */
    public array $list;

    /** @var list<mixed> */
    public array $listeners = [];

    public ArrayObject $objects;

    public function __construct()
    {
        $this->list = array_map(static fn (int $i) => (object) ['i' => $i, 'text' => str_repeat('y', $i)], range(1, 300));
        $this->objects = new ArrayObject($this->list);
    }
};
$things = new Things();
Leak::$booted++;
// The generators are seeded: requests would go on from the same place.
[mt_rand(), lcg_value()];
register_shutdown_function(static fn () => error_log('the boot\'s shutdown function'));

while (
    frankenphp_handle_request(static function (): void {
        echo json_encode(found()), "\n";
        if (isset($_GET['draw'])) {
            echo 'drew ', mt_rand(), '.', mt_rand(), ' ', lcg_value(), lcg_value(), ' ';
            echo uniqid('', true), ' ', bin2hex(random_bytes(8)), "\n";
        }
        $kinds = explode(',', is_string($_GET['do'] ?? null) ? $_GET['do'] : 'nothing');
        if (is_string($_GET['one'] ?? null)) {
            $kinds = array_slice($kinds, (int) $_GET['one'], 1);
        }
        foreach ($kinds as $kind) {
            kinds()[$kind]();
        }
    })
) {
}
