<?php

/**
 * What extensions and their libraries remember between two calls: the last error, settings for objects to come.
 */

declare(strict_types=1);

namespace Howdah\Tests\Isolation;

use Exception;
use FFI;
use Generator;
use Imagick;
use Memcached;
use mysqli_driver;
use Normalizer;
use PDO;
use PDOException;
use Phar;
use PharData;
use ReflectionExtension;
use SQLite3;
use WeakReference;

require_once __DIR__ . '/../Font.php';

/**
 * @phpstan-import-type Check from Checks
 */
final class LibraryChecks implements Checks
{
    public function __construct(private readonly Probe $probe)
    {
    }

    public function checks(): array
    {
        $checks = [
            'openssl' => $this->openssl(...),
            'sockets' => $this->sockets(...),
            'intl' => $this->intl(...),
            'iconv' => $this->iconv(...),
            'zlib' => $this->zlib(...),
            'memcached' => $this->memcached(...),
            'mysqli' => $this->mysqli(...),
            'mysqlnd' => $this->mysqlnd(...),
            'sqlite3' => $this->sqlite3(...),
            'pdo_sqlite' => $this->sqliteByName(...),
            'pgsql' => $this->pgsql(...),
            'exif' => $this->exif(...),
            'gd' => $this->gd(...),
            'Phar' => $this->phar(...),
            'bcmath' => $this->bcmath(...),
            'gmp' => $this->gmp(...),
            'readline' => $this->readline(...),
            'ldap' => $this->ldap(...),
            'odbc' => $this->odbc(...),
            'imagick' => $this->imagick(...),
            'pdo_dblib' => $this->freeTds(...),
        ];

        $own = [];
        foreach (array_filter($checks, extension_loaded(...), ARRAY_FILTER_USE_KEY) as $name => $check) {
            $own[$name] = $check();
        }

        return $own;
    }

    /** @return Check */
    private function openssl(): Generator
    {
        $work = $this->probe->choose('openssl', [
            static fn () => openssl_x509_read('nothing'),
            static fn () => openssl_pkey_get_public('nothing'),
            static fn () => openssl_x509_read('file:///proc/self/no-such-file'),
            static fn () => null,
        ]);
        $fail = static fn () => Probe::quietly($work);
        $drain = static function (): array {
            $errors = [];
            while (($error = openssl_error_string()) !== false) {
                $errors[] = $error;
            }

            return $errors;
        };
        $drain();
        $fail();
        $expected = $drain();
        $fail();
        yield static function () use (&$expected, $drain, $fail): array {
            $pair = [$expected, $drain()];
            $fail();

            return ['errors' => $pair];
        };
        $drain();
    }

    /** @return Check */
    private function sockets(): Generator
    {
        $error = $this->probe->choose('socket', [0, 2, 93]);
        socket_clear_error();
        if ($error === 93) {
            Probe::quietly(static fn () => socket_create(AF_UNIX, SOCK_STREAM, 99));
        } elseif ($error === 2 && ($socket = socket_create(AF_UNIX, SOCK_STREAM, 0)) !== false) {
            Probe::quietly(static fn () => socket_connect($socket, '/proc/self/no-such-socket'));
        }
        yield static fn (): array => ['last error' => [$error, socket_last_error()]];
        socket_clear_error();
    }

    /** @return Check */
    private function intl(): Generator
    {
        $level = (string) $this->probe->choose('level', [0, E_NOTICE, E_WARNING]);
        $code = $this->probe->choose('intl', [U_ZERO_ERROR, U_INVALID_CHAR_FOUND]);
        // PHP 8.5 says that it should not be used any more.
        $before = (string) Probe::quietly(static fn () => ini_set('intl.error_level', $level));
        Probe::quietly(static fn () => Normalizer::normalize($code === U_ZERO_ERROR ? 'a' : "\xff", Normalizer::FORM_C));
        $message = intl_get_error_message();
        yield static fn (): array => [
            'code' => [$code, intl_get_error_code()],
            'message' => [$message, intl_get_error_message()],
            'level' => [$level, ini_get('intl.error_level')],
        ];
        Normalizer::normalize('a', Normalizer::FORM_C);
        Probe::quietly(static fn () => ini_set('intl.error_level', $before));
    }

    /** @return Check */
    private function iconv(): Generator
    {
        // These settings are deprecated, and all the same there.
        $before = (string) ini_get('iconv.internal_encoding');
        $encoding = $this->probe->choose('iconv', ['UTF-8', 'ISO-8859-1', 'UTF-16LE', 'UCS-4']);
        Probe::quietly(static fn () => ini_set('iconv.internal_encoding', $encoding));
        $text = 'abcdabcd';
        $length = iconv_strlen($text, $encoding);
        yield static fn (): array => [
            'encoding' => [$encoding, iconv_get_encoding('internal_encoding')],
            'in effect' => [$length, iconv_strlen($text)],
        ];
        Probe::quietly(static fn () => ini_set('iconv.internal_encoding', $before));
    }

    /** @return Check */
    private function zlib(): Generator
    {
        $level = $this->probe->choose('level', [1, 6, 9]);
        $before = (string) ini_set('zlib.output_compression_level', (string) $level);
        $text = str_repeat($this->probe->mark('zlib'), 100);
        $own = [];
        yield function () use ($level, $text, &$own): array {
            // A compressing buffer announces its encoding: that header is not wanted in the answer.
            $own = headers_list();
            ob_start();
            ob_start('ob_gzhandler');
            $handlers = ob_list_handlers();
            echo $text;
            $this->probe->pause();
            ob_end_flush();
            $packed = (string) ob_get_clean();
            array_diff(headers_list(), $own) === [] || header_remove('Content-Encoding');

            return [
                'handler' => ['ob_gzhandler', end($handlers)],
                'level' => [[1 => 4, 6 => 0, 9 => 2][$level], ord($packed[8] ?? "\xff")],
                'content' => [$text, Probe::quietly(static fn () => gzdecode($packed))],
            ];
        };
        ini_set('zlib.output_compression_level', $before);
    }

    /** @return Check */
    private function memcached(): Generator
    {
        $types = [
            'php' => Memcached::SERIALIZER_PHP,
            'json' => Memcached::SERIALIZER_JSON,
            'json_array' => Memcached::SERIALIZER_JSON_ARRAY,
        ];
        $type = $this->probe->choose('serializer', array_keys($types));
        $before = (string) ini_set('memcached.serializer', $type);
        yield static fn (): array => [
            'serializer' => [$types[$type], (new Memcached())->getOption(Memcached::OPT_SERIALIZER)],
        ];
        ini_set('memcached.serializer', $before);
    }

    /** @return Check */
    private function mysqli(): Generator
    {
        $driver = new mysqli_driver();
        $before = $driver->report_mode;
        $mode = $this->probe->choose('report', [MYSQLI_REPORT_OFF, MYSQLI_REPORT_INDEX, MYSQLI_REPORT_ALL]);
        mysqli_report($mode);
        yield static fn (): array => ['report mode' => [$mode, (new mysqli_driver())->report_mode]];
        mysqli_report($before);
    }

    /** @return Check */
    private function mysqlnd(): Generator
    {
        $size = (string) (10000 + $this->probe->number('buffer', 10000));
        $before = (string) ini_set('mysqlnd.net_read_buffer_size', $size);
        $told = static function (): ?string {
            ob_start();
            (new ReflectionExtension('mysqlnd'))->info();
            preg_match('/Read buffer size\D+(\d+)/', strip_tags((string) ob_get_clean()), $match);

            return $match[1] ?? null;
        };
        yield static fn (): array => ['read buffer' => [$size, $told()]];
        ini_set('mysqlnd.net_read_buffer_size', $before);
    }

    /** @return Check */
    private function sqlite3(): Generator
    {
        $defensive = $this->probe->number('defensive', 2) === 1;
        $before = (string) ini_set('sqlite3.defensive', $defensive ? '1' : '0');
        $kept = new SQLite3(':memory:');
        $kept->exec('CREATE TABLE t (mark TEXT)');
        $kept->createFunction('pausing', function (string $text): string {
            $this->probe->pause();

            return strrev($text);
        });
        yield function () use ($defensive, $kept): array {
            $mark = $this->probe->mark('row');
            $kept->exec("INSERT INTO t VALUES ('{$mark}')");
            $new = new SQLite3(':memory:');
            $new->enableExceptions(true);
            $new->exec('CREATE TABLE t (a)');
            $new->exec('PRAGMA writable_schema = ON');
            try {
                $wrote = $new->exec("UPDATE sqlite_master SET sql = sql || ' ' WHERE name = 't'");
            } catch (Exception) {
                $wrote = false;
            }

            return [
                'defensive' => [!$defensive, $wrote],
                'row' => [strrev($mark), $kept->querySingle('SELECT pausing(mark) FROM t')],
            ];
        };
        ini_set('sqlite3.defensive', $before);
    }

    /**
     * Databases in memory that have a name, and what SQLite's library has for all connections.
     *
     * @return Check
     */
    private function sqliteByName(): Generator
    {
        $mark = $this->probe->mark('table');
        $names = [
            'file::memory:?cache=shared',
            'file:howdah?mode=memory&cache=shared',
            'file:/howdah?vfs=memdb',
            'file:howdah?mode=memory&cache=shared&vfs=unix',
            'file:howdah?mode=memory&cache=shared&vfs=unix-none',
            'attached file:attached?mode=memory&cache=shared',
            'attached file:attached?mode=memory&cache=shared&vfs=unix',
        ];
        $folder = $this->probe->choose('folder', ['/tmp', '/var/tmp', '/dev/shm']);
        // What all realms use together counts: above any of that.
        $limit = (1 << 40) + $this->probe->number('limit', 1 << 30);
        $open = static function (string $name): PDO {
            $attached = str_starts_with($name, 'attached ');
            $database = new PDO('sqlite:' . ($attached ? ':memory:' : $name));
            $attached && $database->exec("ATTACH '" . substr($name, 9) . "' AS other");

            return $database;
        };
        $kept = [];
        foreach ($names as $name) {
            $kept[$name] = $open($name);
            $table = str_starts_with($name, 'attached ') ? 'other.t' : 't';
            $kept[$name]->exec("CREATE TABLE IF NOT EXISTS $table (mark TEXT); DELETE FROM $table");
            $kept[$name]->exec("INSERT INTO $table VALUES ('$mark')");
        }
        $any = $open(':memory:');
        $any->exec("PRAGMA soft_heap_limit = $limit; PRAGMA temp_store_directory = '$folder'");
        $ask = static fn (PDO $of, string $query): mixed =>
            ($of->query($query) ?: throw new Exception($query))->fetchAll(PDO::FETCH_COLUMN);
        yield static function () use ($kept, $open, $mark, $any, $limit, $folder, $ask): array {
            $seen = [
                'soft limit' => [[$limit], $ask($any, 'PRAGMA soft_heap_limit')],
                'folder' => [[$folder], $ask($any, 'PRAGMA temp_store_directory')],
            ];
            foreach (array_keys($kept) as $name) {
                $table = str_starts_with($name, 'attached ') ? 'other.t' : 't';
                $seen[$name] = [[$mark], $ask($open($name), "SELECT mark FROM $table")];
            }

            return $seen;
        };
        $any->exec("PRAGMA soft_heap_limit = 0; PRAGMA temp_store_directory = ''");
    }

    /** @return Check */
    private function pgsql(): Generator
    {
        // A server that never answers is enough: the connection that was begun last is the default one.
        $folder = sys_get_temp_dir() . '/howdah-pgsql-' . bin2hex(random_bytes(8));
        mkdir($folder);
        $server = stream_socket_server("unix://{$folder}/.s.PGSQL.5432");
        $name = $this->probe->mark('database');
        $link = pg_connect("host={$folder} dbname={$name} user=nobody", PGSQL_CONNECT_ASYNC | PGSQL_CONNECT_FORCE_NEW);
        yield static fn (): array => [
            'own' => [$name, $link === false ? null : pg_dbname($link)],
            'default' => [$name, Probe::quietly(static fn () => pg_dbname())],
        ];
        unset($link, $server);
        unlink("{$folder}/.s.PGSQL.5432");
        rmdir($folder);
    }

    /** @return Check */
    private function gmp(): Generator
    {
        $seed = $this->probe->number('gmp', 1_000_000);
        gmp_random_seed($seed);
        $first = gmp_strval(gmp_random_bits(64));
        gmp_random_seed($seed);
        yield static function () use ($seed, $first): array {
            $drawn = gmp_strval(gmp_random_bits(64));
            gmp_random_seed($seed);

            return ['random numbers' => [$first, $drawn]];
        };
    }

    /** @return Check */
    private function exif(): Generator
    {
        $encodings = ['ISO-8859-15' => "\xe9\xa4", 'UTF-8' => "\xc3\xa9\xe2\x82\xac", 'UTF-16BE' => "\x00\xe9\x20\xac"];
        $encoding = $this->probe->choose('exif', array_keys($encodings));
        $before = (string) ini_set('exif.encode_unicode', $encoding);
        // A TIFF file with nothing but a user's comment: the first directory leads to exif's own, and that to the text.
        $comment = "UNICODE\0\xe9\x00\xac\x20";
        $image = "II*\0" . pack('VvvvVVV', 8, 1, 0x8769, 4, 1, 26, 0)
            . pack('vvvVVV', 1, 0x9286, 7, strlen($comment), 44, 0) . $comment;
        yield static function () use ($encodings, $encoding, $image): array {
            $file = fopen('php://memory', 'w+');
            if ($file === false) {
                return [];
            }
            fwrite($file, $image);
            rewind($file);
            $read = Probe::quietly(static fn () => exif_read_data($file));

            $computed = is_array($read) && is_array($read['COMPUTED'] ?? null) ? $read['COMPUTED'] : [];

            return ['comment' => [$encodings[$encoding], $computed['UserComment'] ?? null]];
        };
        ini_set('exif.encode_unicode', $before);
    }

    /** @return Check */
    private function gd(): Generator
    {
        // One font for as long as this realm remembers fonts, by a name that another realm gives to another one.
        $name = 'howdah-probe';
        $width = Declared::$values[$name] ??= (string) $this->probe->choose('font', [200, 400, 600, 800]);
        $folder = sys_get_temp_dir() . "/howdah-font-{$width}-" . getmypid() . "-{$this->probe->id}";
        is_dir($folder) || mkdir($folder);
        file_put_contents("{$folder}/{$name}.ttf", Font::file((int) $width));
        $before = getenv('GDFONTPATH');
        putenv("GDFONTPATH={$folder}");
        $box = static fn (): array|false => Probe::quietly(static fn () => imagettfbbox(75.0, 0.0, $name, 'A'));
        $first = $box();
        yield static function () use ($width, $first, $box): array {
            $now = $box();

            // 75 points are 100 pixels.
            return [
                'first width' => [intdiv((int) $width, 10), $first[2] ?? null],
                'width' => [intdiv((int) $width, 10), $now[2] ?? null],
            ];
        };
        putenv($before === false ? 'GDFONTPATH' : "GDFONTPATH={$before}");
        unlink("{$folder}/{$name}.ttf");
        rmdir($folder);
    }

    /** @return Check */
    private function phar(): Generator
    {
        $mark = $this->probe->mark('phar');
        $path = sys_get_temp_dir() . '/howdah-' . getmypid() . "-{$this->probe->id}";
        // An archive that may not be written can have no name of its own either.
        $writable = ini_get('phar.readonly') !== '1';
        $path .= $writable ? '.phar' : '.tar';
        $alias = $writable ? "alias-{$this->probe->id}" : $path;
        $archive = $writable ? new Phar($path, 0, $alias) : new PharData($path);
        $archive->addFromString('file.txt', $mark);
        yield static fn (): array => [
            'by path' => [$mark, file_get_contents("phar://{$path}/file.txt")],
            'by alias' => [$mark, Probe::quietly(static fn () => file_get_contents("phar://{$alias}/file.txt"))],
        ];
        unset($archive);
        $writable ? Phar::unlinkArchive($path) : PharData::unlinkArchive($path);
    }

    /** @return Check */
    private function readline(): Generator
    {
        $mark = $this->probe->mark('completion');
        $function = static fn (): array => [$mark];
        $kept = WeakReference::create($function);
        readline_completion_function($function);
        unset($function);
        $name = readline_info('readline_name');
        readline_info('readline_name', $mark);
        readline_clear_history();
        readline_add_history($mark);
        yield static function () use ($kept, $mark): array {
            $function = $kept->get();

            return [
                'kept' => [[$mark], $function === null ? null : $function()],
                'history' => [[$mark], readline_list_history()],
                'name' => [$mark, readline_info('readline_name')],
            ];
        };
        readline_clear_history();
        readline_info('readline_name', is_string($name) ? $name : '');
        readline_completion_function('strlen');
        yield static fn (): array => ['let go' => [null, $kept->get()]];
    }

    /** @return Check */
    private function ldap(): Generator
    {
        $options = [
            LDAP_OPT_X_TLS_REQUIRE_CERT => $this->probe->choose('certificate', [LDAP_OPT_X_TLS_NEVER, LDAP_OPT_X_TLS_DEMAND]),
            LDAP_OPT_PROTOCOL_VERSION => $this->probe->choose('protocol', [2, 3]),
            LDAP_OPT_SIZELIMIT => $this->probe->number('size', 1000),
            LDAP_OPT_X_TLS_CACERTFILE => '/etc/' . $this->probe->mark('authority'),
        ];
        $told = static function (): array {
            $values = [];
            $link = ldap_connect('ldap://127.0.0.1:9');
            foreach ([LDAP_OPT_X_TLS_REQUIRE_CERT, LDAP_OPT_PROTOCOL_VERSION, LDAP_OPT_SIZELIMIT] as $option) {
                $value = $link !== false && ldap_get_option($link, $option, $value) ? $value : null;
                $values[$option] = is_int($value) ? $value : 0;
            }

            return $values;
        };
        $before = $told();
        foreach ($options as $option => $value) {
            ldap_set_option(null, $option, $value);
        }
        yield static fn (): array => ['of a new connection' => [array_intersect_key($options, $before), $told()]];
        foreach ($before as $option => $value) {
            ldap_set_option(null, $option, $value);
        }
    }

    /** @return Check */
    private function odbc(): Generator
    {
        // Of a driver that is not there the message tells the name. What it has read the library keeps for 20 seconds.
        $driver = Declared::$values['odbc'] ??= '/nowhere/' . $this->probe->mark('driver') . '.so';
        $file = sys_get_temp_dir() . '/howdah-odbc-' . getmypid() . "-{$this->probe->id}";
        file_put_contents($file, "[howdah]\nDriver=$driver\n");
        putenv("ODBCINI={$file}");
        yield static function () use ($driver): array {
            Probe::quietly(static fn () => odbc_connect('howdah', '', ''));

            return ['driver' => [1, substr_count(odbc_errormsg(), "'$driver'")]];
        };
        putenv('ODBCINI');
        unlink($file);
    }

    /** @return Check */
    private function imagick(): Generator
    {
        $limit = 100_000_000 + $this->probe->number('memory', 1_000_000);
        $mark = $this->probe->mark('registry');
        $memory = Imagick::RESOURCETYPE_MEMORY;
        $before = Imagick::getResourceLimit($memory);
        Imagick::setResourceLimit($memory, $limit);
        Imagick::setRegistry('howdah', $mark);
        yield static fn (): array => [
            'limit' => [$limit, (int) Imagick::getResourceLimit($memory)],
            'registry' => [$mark, Imagick::getRegistry('howdah')],
        ];
        Imagick::setResourceLimit($memory, $before);
        Imagick::setRegistry('howdah', '');
    }

    /** @return Check */
    private function freeTds(): Generator
    {
        $library = FFI::cdef('int dbgettime(void); int dbsettime(int seconds);', 'libsybdb.so.5');
        $seconds = 10 + $this->probe->number('limit', 1000);
        try {
            new PDO('dblib:host=127.0.0.1:9', '', '', [PDO::ATTR_TIMEOUT => $seconds]);
        } catch (PDOException) {
            // Nobody listens there; the limit was set before.
        }
        // @phpstan-ignore method.notFound
        yield static fn (): array => ['time limit' => [$seconds, $library->dbgettime()]];
        // @phpstan-ignore method.notFound
        $library->dbsettime(0);
    }

    /** @return Check */
    private function bcmath(): Generator
    {
        $before = bcscale();
        $scale = $this->probe->number('scale', 20);
        bcscale($scale);
        yield static fn (): array => [
            'scale' => [$scale, bcscale()],
            'in effect' => [bcdiv('1', '3', $scale), bcdiv('1', '3')],
        ];
        bcscale($before);
    }
}
