<?php

declare(strict_types=1);

namespace Howdah\Tests\Engine;

use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\TestCase;

/** What an application may hold when it has booted, and be rewound. */
#[Group('rewind')]
final class RewindBootTest extends TestCase
{
    private const ONE_REALM = ['--mode=worker', '--rewind', '--realms=1', '--requests=3', '--ini=display_errors=1', '--memory'];

    /** @return iterable<string, array{string, string}> */
    public static function obstacles(): iterable
    {
        yield 'a file' => ['$kept = fopen(__FILE__, "r");', 'a resource of the type stream'];
        yield 'a connection' => ['$kept = new PDO("sqlite::memory:");', 'an object of the class PDO'];
        yield 'a descendant' => [
            'class Mine extends DOMDocument {} $kept = new Mine();',
            'an object of the class Mine (a DOMDocument; SCRIPT:1)',
        ];
        yield 'a suspended fiber' => ['$kept = new Fiber(fn () => Fiber::suspend()); $kept->start();', 'of the class Fiber'];
        yield 'a large value' => ['$kept = str_repeat("x", 5_000_000);', 'a value of '];
        yield 'options of mbregex' => ['mb_regex_set_options("i");', 'mb_regex_set_options'];
    }

    #[DataProvider('obstacles')]
    public function testAnApplicationThatCannotBeRewoundIsServedWithoutAndSaysWhy(string $boot, string $why): void
    {
        $script = self::script($boot . ' $n = 0;', 'echo ++$n, "\n";', 'use (&$n)');
        try {
            $run = Runner::run($script, self::ONE_REALM);
        } finally {
            unlink($script);
        }
        self::assertSame(0, $run->exit, $run->err);
        self::assertStringStartsWith("1\n2\n3\n", $run->out, 'worker mode without rewind');
        self::assertSame(1, substr_count($run->err, 'cannot be rewound'), $run->err);
        self::assertStringContainsString(str_replace('SCRIPT', $script, $why), $run->err);
    }

    /** As storage libraries do (vfs://, s3://). */
    public function testStreamWrappersAndFiltersOfTheBootAreThereForEachRequest(): void
    {
        $script = self::script(
            'class Mine { public $context; static $opened = 0;
                function stream_open() { self::$opened++; return true; }
                function stream_read() { return "text\n"; }
                function stream_eof() { return true; } }
             class Upper extends php_user_filter {
                function filter($in, $out, &$consumed, bool $closing): int {
                    while ($bucket = stream_bucket_make_writeable($in)) {
                        $bucket->data = strtoupper($bucket->data);
                        $consumed += $bucket->datalen;
                        stream_bucket_append($out, $bucket);
                    }
                    return PSFS_PASS_ON;
                } }
             stream_wrapper_register("mine", "Mine"); stream_filter_register("upper", "Upper");',
            'global $kept; $kept = fopen("mine://x", "r"); stream_filter_append($kept, "upper");
             echo Mine::$opened, " ", fgets($kept), get_resource_id($kept), "\n"; stream_wrapper_unregister("mine");',
        );
        try {
            $run = Runner::run($script, self::ONE_REALM, environment: ['HOWDAH_CHECKS' => '1'], extensions: []);
        } finally {
            unlink($script);
        }
        self::assertSame(1, $run->figure('births'), $run->err);
        self::assertSame(3, preg_match_all('/^1 TEXT\n(\d+)$/m', $run->out, $found), $run->out . $run->err);
        self::assertCount(1, array_unique($found[1]));
    }

    public function testWhoOnlyAsksWhatIsSetChangesNothing(): void
    {
        $asks = 'mb_regex_set_options(); mb_regex_set_options(null); textdomain(null); bindtextdomain("x", null);'
            . ' bind_textdomain_codeset("x", null);';
        $script = self::script("$asks \$n = 0;", "$asks echo ++\$n, \"\\n\";", 'use (&$n)');
        try {
            $run = Runner::run($script, self::ONE_REALM, extensions: ['mbstring', 'gettext']);
        } finally {
            unlink($script);
        }
        self::assertSame([0, 1], [$run->exit, $run->figure('births')], $run->err);
        self::assertStringStartsWith("1\n1\n1\n", $run->out);
    }

    /** A worker script; to be removed. */
    private static function script(string $boot, string $request, string $use = ''): string
    {
        $script = tempnam(sys_get_temp_dir(), 'howdah-rewind');
        self::assertIsString($script);
        file_put_contents($script, "<?php {$boot} while (frankenphp_handle_request(function () {$use} { {$request} })) {}");

        return $script;
    }
}
