<?php

/** What is nested deep, for C code that recurses over it. */

declare(strict_types=1);

namespace Howdah\Tests\Engine\Nestings;

use ArrayIterator;
use ArrayObject;
use Closure;
use Exception;
use IteratorIterator;
use SplObjectStorage;
use stdClass;

final class Nested
{
    /** @return list<string> */
    public static function names(): array
    {
        return array_keys(self::all());
    }

    public static function run(string $name, int $deep): void
    {
        self::all()[$name]($deep);
    }

    /** @return array<int, mixed> */
    private static function list(int $deep): array
    {
        $list = [];
        for ($i = 0; $i < $deep; ++$i) {
            $list = [$list];
        }

        return $list;
    }

    private static function object(int $deep): stdClass
    {
        $object = new stdClass();
        for ($i = 0; $i < $deep; ++$i) {
            $next = new stdClass();
            $next->next = $object;
            $object = $next;
        }

        return $object;
    }

    /** opcache copies and optimizes what it keeps of a file, and takes no file that has just been written. */
    private static function cache(int $deep): void
    {
        $file = (string) tempnam(sys_get_temp_dir(), 'howdah-nested');
        $class = basename(strtr($file, '-', '_'));
        file_put_contents($file, "<?php class $class { const A = PHP_VERSION_ID" . str_repeat('+1', $deep) . '; }');
        touch($file, 1_000_000_000);
        try {
            include $file;
        } finally {
            unlink($file);
        }
        constant("$class::A");
    }

    /** PHP's parser takes no code that is nested deeper. */
    private static function within(string $begin, int $deep, string $inmost, string $end): string
    {
        return 'return 1; ' . str_repeat($begin, min($deep, 800)) . $inmost . str_repeat($end, min($deep, 800)) . ';';
    }

    /** @return array<string, Closure> */
    private static function all(): array
    {
        return [
            'free arrays' => static function (int $deep): void {
                self::list($deep);
            },
            'free objects' => static function (int $deep): void {
                self::object($deep);
            },
            'free closures' => static function (int $deep): void {
                $last = null;
                for ($i = 0; $i < $deep; ++$i) {
                    $last = static fn () => $last;
                }
            },
            'free exceptions' => static function (int $deep): void {
                $last = null;
                for ($i = 0; $i < $deep; ++$i) {
                    $last = new Exception('', 0, $last);
                }
            },
            'free array objects' => static function (int $deep): void {
                $last = null;
                for ($i = 0; $i < $deep; ++$i) {
                    $last = new ArrayObject([$last]);
                }
            },
            'free storages' => static function (int $deep): void {
                $last = new stdClass();
                for ($i = 0; $i < $deep; ++$i) {
                    $next = new SplObjectStorage();
                    $next->attach($last);
                    $last = $next;
                }
            },
            'free generators' => static function (int $deep): void {
                $generate = static function (mixed $last) {
                    yield $last;
                };
                $last = null;
                for ($i = 0; $i < $deep; ++$i) {
                    $last = $generate($last);
                    $last->current();
                }
            },
            'free at the end' => static function (int $deep): void {
                $GLOBALS['nested'] = [self::object($deep), self::list($deep)];
            },
            'collect' => static function (int $deep): void {
                $list = self::object($deep);
                $list->me = $list;
                unset($list);
                gc_collect_cycles();
            },
            'serialize' => static fn (int $deep) => serialize(self::list($deep)),
            'serialize objects' => static fn (int $deep) => serialize(self::object($deep)),
            'unserialize' => static function (int $deep): void {
                $text = str_repeat('a:1:{i:0;', $deep) . 'a:0:{}' . str_repeat('}', $deep);
                unserialize($text, ['max_depth' => 0]);
            },
            'compare' => static fn (int $deep) => self::list($deep) == self::list($deep),
            'compare strictly' => static fn (int $deep) => self::list($deep) === self::list($deep),
            'compare objects' => static fn (int $deep) => self::object($deep) == self::object($deep),
            'sort' => static function (int $deep): void {
                $lists = [self::list($deep), self::list($deep)];
                sort($lists);
            },
            'json' => static fn (int $deep) => json_encode(self::list($deep), depth: 1_000_000_000),
            'json_decode' => static function (int $deep): void {
                json_decode(str_repeat('[', $deep) . str_repeat(']', $deep), false, 1_000_000_000);
            },
            'count' => static fn (int $deep) => count(self::list($deep), COUNT_RECURSIVE),
            'array_walk_recursive' => static function (int $deep): void {
                $list = self::list(min($deep, 30_000)); // it counts all that it is within, each time
                array_walk_recursive($list, static fn () => 0);
            },
            'array_replace_recursive' => static fn (int $deep) => array_replace_recursive(self::list($deep), self::list($deep)),
            'array_merge_recursive' => static function (int $deep): void {
                $list = [];
                for ($i = 0; $i < $deep; ++$i) {
                    $list = ['a' => $list];
                }
                array_merge_recursive($list, $list);
            },
            'iterators' => static function (int $deep): void {
                $iterator = new ArrayIterator([1]);
                for ($i = 0; $i < $deep; ++$i) {
                    $iterator = new IteratorIterator($iterator);
                }
                iterator_to_array($iterator);
            },
            'compile a sum' => static fn (int $deep) => eval('return 1' . str_repeat('+1', $deep) . ';'),
            'compile a text' => static fn (int $deep) => eval('$a = 1; return $a' . str_repeat('.$a', $deep) . ';'),
            'compile calls' => static fn (int $deep) => eval('return 1; $a' . str_repeat('->b()', $deep) . ';'),
            'compile a constant' => static fn (int $deep) => eval('const Z = PHP_VERSION_ID' . str_repeat('+1', $deep) . ';'),
            'compile an array' => static fn (int $deep) => eval(self::within('[', $deep, '$a', ']')),
            'compile closures' => static fn (int $deep) => eval(self::within('fn () => ', $deep, '$a', '')),
            'compile blocks' => static fn (int $deep) => eval(self::within('if ($a) {', $deep, '$a;', '}')),
            'cache a constant' => self::cache(...),
            'DOM' => static function (int $deep): void {
                $deep = min($deep, 20_000); // what looks for nodes looks at all that each is below
                $root = new \SimpleXMLElement('<a/>');
                $node = $root;
                for ($i = 0; $i < $deep; ++$i) {
                    $node = $node->addChild('a');
                }
                $document = dom_import_simplexml($root)->ownerDocument;
                $copy = $document->cloneNode(true);
                $document->saveXML();
                (new \DOMXPath($copy))->query('//a');
            },
        ];
    }
}
