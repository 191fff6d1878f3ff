<?php

/** Recursions without end, each through another place where C code calls PHP code. */

declare(strict_types=1);

namespace Howdah\Tests\Engine\Nestings;

use Closure;
use Fiber;
use ReflectionClass;
use ReflectionFunction;

require_once __DIR__ . '/objects.php';

final class Endless
{
    /** @return list<string> */
    public static function names(): array
    {
        return array_keys(self::all());
    }

    public static function run(string $name): void
    {
        if (in_array($name, ['eval', 'yield from', 'PHP code'], true)) {
            ini_set('memory_limit', '64M'); // these take memory, not stack: less of it is reached sooner
        }
        self::all()[$name]();
    }

    private static function again(string $name): Closure
    {
        return static fn () => self::run($name) ?? 0;
    }

    /** @return array<string, Closure> */
    private static function all(): array
    {
        return [
            'array_map' => static fn () => array_map(self::again('array_map'), [1]),
            'array_walk' => static function (): void {
                $list = [1];
                array_walk($list, self::again('array_walk'));
            },
            'array_filter' => static fn () => array_filter([1], self::again('array_filter')),
            'array_reduce' => static fn () => array_reduce([1], self::again('array_reduce')),
            'usort' => static function (): void {
                $list = [2, 1];
                usort($list, self::again('usort'));
            },
            'uksort' => static function (): void {
                $list = ['a' => 2, 'b' => 1];
                uksort($list, self::again('uksort'));
            },
            'call_user_func' => static fn () => array_map('call_user_func', [self::again('call_user_func')]),
            'preg_replace_callback' => static fn () => preg_replace_callback('/x/', self::again('preg_replace_callback'), 'x'),
            'mb_ereg_replace_callback' => static fn () => mb_ereg_replace_callback(
                'x',
                static fn (): string => self::run('mb_ereg_replace_callback') . '',
                'x',
            ),
            'iterator_apply' => static fn () => iterator_apply(new \ArrayIterator([1]), self::again('iterator_apply')),
            'reflection' => static fn () => (new ReflectionFunction(self::again('reflection')))->invoke(),
            'constructor' => static fn () => (new ReflectionClass(Constructed::class))->newInstance(),
            'to_string' => static fn () => (string) new Magic(),
            'string in a sort' => static function (): void {
                $list = [new Magic(), 'x'];
                sort($list);
            },
            'get' => static fn () => (new Magic())->other,
            'set' => static fn () => (new Magic())->__set('other', 1),
            'unset' => static fn () => (new Magic())->__unset('other'),
            'call' => static fn () => array_map([new Magic(), 'missing'], [1]),
            'static call' => static fn () => array_map([Magic::class, 'missing'], [1]),
            'isset' => static fn () => isset((new Magic())->other),
            'clone' => static fn () => clone new Magic(),
            'serialize' => static fn () => serialize(new Magic()),
            'unserialize' => static fn () => unserialize(serialized(Magic::class)),
            'wakeup' => static fn () => unserialize(serialized(Woken::class)),
            'attribute' => static fn () => (new ReflectionClass(Attributed::class))->getAttributes()[1]->newInstance(),
            'debug_info' => static function (): void {
                var_dump(new Magic());
            },
            'invoke' => static fn () => (new Magic())(),
            'json' => static fn () => json_encode(new Magic()),
            'json without a limit' => static fn () => json_encode(new Magic(), depth: 1_000_000_000),
            'count' => static fn () => count(new Magic()),
            'iterator_to_array' => static fn () => iterator_to_array(new Magic()),
            'iterator' => static fn () => iterator_to_array(new Walked()),
            'filter of an iterator' => static fn () => iterator_to_array(new Accepted(new \ArrayIterator([1]))),
            'offset_exists' => static fn () => isset((new Magic())[0]),
            'offset_get' => static fn () => (new Magic())[0],
            'offset_set' => static fn () => (new Magic())->offsetSet(0, 1),
            'offset_unset' => static fn () => (new Magic())->offsetUnset(0),
            'destructor' => static fn () => new Destroyed(),
            'heap' => static function (): void {
                $heap = new Heap();
                $heap->insert(1);
                $heap->insert(2);
            },
            'stream wrapper' => static function (): void {
                if (!in_array('endless', stream_get_wrappers(), true)) {
                    stream_wrapper_register('endless', Stream::class);
                }
                fopen('endless://x', 'r');
            },
            'stream filter' => static fn () => Filter::write(),
            'stat of a stream wrapper' => static function (): void {
                if (!in_array('endless', stream_get_wrappers(), true)) {
                    stream_wrapper_register('endless', Stream::class);
                }
                file_exists('endless://x');
            },
            'autoload' => static function (): void {
                spl_autoload_register(
                    static fn (string $class) => str_starts_with($class, 'Missing') && class_exists("{$class}x"),
                );
                class_exists('Missing');
            },
            'error handler' => static function (): void {
                set_error_handler(self::again('error handler'));
                array_map('trigger_error', ['x']);
            },
            'include' => static function (): void {
                array_map(static fn (string $file) => require $file, [__DIR__ . '/itself.php']);
            },
            'eval' => static fn () => eval('\\' . self::class . '::run("eval");'),
            'generator' => static function (): void {
                $generator = (static fn () => yield self::run('generator'))();
                iterator_to_array($generator);
            },
            'Fiber' => static fn () => (new Fiber(self::again('array_map')))->start(),
            'shutdown function' => static fn () => register_shutdown_function(self::again('array_map')),
            'output callback' => static function (): void {
                ob_start(static fn (string $text): string => $text . self::run('array_map'));
                echo 'x';
                ob_end_flush();
            },
            'header callback' => static fn () => header_register_callback(self::again('array_map')),
            'DOM' => static function (): void {
                $path = new \DOMXPath(new \DOMDocument());
                $path->registerNamespace('php', 'http://php.net/xpath');
                $path->registerPhpFunctions();
                $path->evaluate('php:function("' . self::class . '::run", "DOM")');
            },
            'XSLT' => static function (): void {
                $sheet = new \DOMDocument();
                $sheet->loadXML(
                    '<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" '
                    . 'xmlns:php="http://php.net/xsl">'
                    . '<xsl:template match="/"><xsl:value-of select="php:function(\'' . self::class . '::run\', \'XSLT\')"/>'
                    . '</xsl:template></xsl:stylesheet>',
                );
                $processor = new \XSLTProcessor();
                $processor->registerPHPFunctions();
                $processor->importStylesheet($sheet);
                $processor->transformToXml($sheet);
            },
            'XML entity' => static function (): void {
                libxml_set_external_entity_loader(self::again('XML entity'));
                (new \DOMDocument())->loadXML('<!DOCTYPE a SYSTEM "endless"><a/>', LIBXML_DTDLOAD);
            },
            'XML parser' => static function (): void {
                $parser = xml_parser_create();
                xml_set_element_handler($parser, self::again('XML parser'), static fn () => 0);
                xml_parse($parser, '<a/>');
            },
            'SQLite' => static function (): void {
                $database = new \SQLite3(':memory:');
                $database->createFunction('again', self::again('SQLite'));
                $database->querySingle('select again()');
            },
            'yield from' => static function (): void {
                $generate = static function () use (&$generate) {
                    yield from $generate();
                };
                iterator_to_array($generate());
            },
            'PHP code' => static fn () => self::run('PHP code'),
        ];
    }
}
