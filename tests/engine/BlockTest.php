<?php

declare(strict_types=1);

namespace Howdah\Tests\Engine;

use Howdah\Tests\Late;
use Howdah\Tests\Property\Property;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\TestCase;

require_once __DIR__ . '/../property/Property.php';

/**
 * The walks of tests/property with one state block left shared: they fail (a wrong value, a crash, a hang), for every block of
 * this machine. What PHP code cannot tell is on a list with its reason, which must be true.
 */
#[Group('memory')]
final class BlockTest extends TestCase
{
    private const NEVER_WRITTEN = 'neither PHP nor libxml2 writes it after its start';
    private const REWRITTEN = 'only PHP_LIBXML_SANITIZE_GLOBALS writes it (ext/libxml/php_libxml.h), what is there already';
    private const OVERRIDDEN = 'ext/xsl/xsltprocessor.c writes it; parsers are told otherwise (xmlCtxtUseOptions)';

    private const RESTARTS = 'whether the realm\'s pattern cache is older than a restart of opcache; the walks make none';

    /** These are blocks in one version of PHP only (engine/state/version.h). */
    private const BEFORE_84 = ['current_observed_frame'];
    /** PHP 8.5 makes it only where the JIT is asked for. */
    private const UNTIL_84 = ['jit_globals'];
    private const SINCE_84 = ['accel_globals.pcre_reseted', 'accel_globals.last_restart_time', 'jit_globals', 'dom'];

    /** Blocks of which PHP code cannot tell whether they are shared. */
    private const UNSEEN = [
        'amqp' => 'pecl/amqp, amqp.c: the text of an error, on its way from a broker to the exception',
        'redis' => 'phpredis, redis.c: a random salt in the names of persistent connections with a password; nothing shows it',
        'pdo_mysql' => 'its one setting is PHP_INI_SYSTEM: no code changes it',
        'xml' => 'ext/xml/xml.c: default_encoding is "UTF-8" from the constructor on',
        'Reflection' => 'ext/reflection/php_reflection.c: one key, drawn once and kept; what it makes are hashes',
        'cwd_globals.realpath_cache_limits' => 'main/main.c: written where a request starts with open_basedir: all do, or none',
        'current_observed_frame' => 'Zend/zend_observer.c: NULL without an observer, which Howdah refuses',
        'accel_globals.pcre_reseted' => self::RESTARTS,
        'accel_globals.last_restart_time' => self::RESTARTS,
        'jit_globals' => 'ext/opcache/jit/zend_jit.h: used while the JIT compiles, which the walks leave off',
        'dom' => 'ext/dom/php_dom.c: set and put back while the properties of an object are read, where no PHP code runs',
        'accel_globals.xlat_table' => 'ext/opcache: used while its lock is held, where nothing waits; all have one root',
        'zend_signal_globals' => 'Zend/zend_signal.h: nothing that is loaded here waits where it counts (ExtensionTest)',
        'xmlIndentTreeOutput' => self::NEVER_WRITTEN,
        'xmlGetWarningsDefaultValue' => self::NEVER_WRITTEN,
        'xmlDefaultBufferSize' => self::NEVER_WRITTEN,
        'xmlBufferAllocScheme' => self::NEVER_WRITTEN,
        'xmlTreeIndentString' => self::NEVER_WRITTEN,
        'xmlDeregisterNodeDefaultValue' => self::NEVER_WRITTEN,
        'xmlRegisterNodeDefaultValue' => self::NEVER_WRITTEN,
        'xmlParserDebugEntities' => self::NEVER_WRITTEN,
        'xmlGenericErrorContext' => 'ext/libxml/libxml.c sets it to NULL only',
        'xmlStructuredErrorContext' => 'ext/libxml/libxml.c sets it to NULL only',
        'xmlKeepBlanksDefaultValue' => self::REWRITTEN,
        'xmlLineNumbersDefaultValue' => self::REWRITTEN,
        'xmlPedanticParserDefaultValue' => self::REWRITTEN,
        'xmlDoValidityCheckingDefaultValue' => self::REWRITTEN,
        'xmlSubstituteEntitiesDefaultValue' => self::OVERRIDDEN,
        'xmlLoadExtDtdDefaultValue' => self::OVERRIDDEN,
    ];

    /** What two realms do at the same moment is luck: so many seeds are tried until one notices. */
    private const SEEDS = 25;

    /** With all blocks, in `make test-long`; else two, as tests/property walks more. */
    private const SOUND_SEEDS = 5;

    /**
     * A walk with all blocks takes two. What two realms make of one list may be a circle, which one of them follows for
     * ever: with pgsql and PHP 8.4 in most runs. Neighbours make no walk reach this.
     */
    private const PROCESSOR_SECONDS = 20;

    /** @return list<string> */
    private static function names(): array
    {
        $table = Runner::run('/', ['--blocks'])->out;
        preg_match_all('/^(\S+) +\d+  /m', $table, $matches);

        return $matches[1];
    }

    private static function walk(int $seed, ?string $block, string $query = ''): Runner
    {
        // Short requests and short lives: PHP starts and ends requests, and constructors run, while others are in the middle.
        $without = $block === null ? [] : ["--without-block={$block}"];
        $options = ['--quiet', '--max-requests=2', "--chaos={$seed}", ...$without];
        $limit = ['prlimit', '--cpu=' . self::PROCESSOR_SECONDS];

        return Property::run('classic', 64, 100, $seed, $options, 300, $block === null ? [] : $limit, $query);
    }

    /**
     * All of them; in the other release's root one in four. There the walks with all blocks tell whether each is found, and
     * here each block shows that they would.
     *
     * @return iterable<string, array{string}>
     */
    public static function blocks(): iterable
    {
        $seen = array_values(array_unique(array_diff(self::names(), array_keys(self::UNSEEN))));
        foreach ($seen as $number => $block) {
            if (getenv('HOWDAH_OTHER') === false || getenv('HOWDAH_LONG') || $number % 4 === 0) {
                yield $block => [$block];
            }
        }
    }

    #[DataProvider('blocks')]
    public function testTheWalkNoticesWhenABlockIsShared(string $block): void
    {
        for ($seed = 1, $noticed = false; $seed <= self::SEEDS && !$noticed; ++$seed) {
            try {
                $run = self::walk($seed, $block, '&stop=1');
            } catch (Late) {
                $noticed = true; // a hang without computing
                break;
            }
            self::assertStringNotContainsString('no state block is named', $run->err);
            self::assertNotSame(2, $run->exit, "the options were refused: {$run->err}");
            $noticed = $run->exit !== 0;
        }
        self::assertTrue($noticed, "No check in tests/isolation/checks notices that {$block} is shared: write one.");
    }

    /**
     * One in twelve of them, all in `make test-long`: what fails here is the list, not the engine.
     *
     * @return iterable<string, array{string}>
     */
    public static function unseenBlocks(): iterable
    {
        foreach (array_values(array_intersect(array_keys(self::UNSEEN), self::names())) as $number => $block) {
            if (getenv('HOWDAH_LONG') || $number % 12 === 0) {
                yield $block => [$block];
            }
        }
    }

    #[DataProvider('unseenBlocks')]
    public function testNothingTellsThatAnUnseenBlockIsShared(string $block): void
    {
        $run = self::walk(1, $block);
        self::assertSame(0, $run->exit, "{$block} is seen now: take it from the list. " . substr($run->err, 0, 4000));
    }

    public function testTheSameWalksFindNothingWithAllBlocks(): void
    {
        for ($seed = 1; $seed <= (getenv('HOWDAH_LONG') ? self::SOUND_SEEDS : 2); ++$seed) {
            $run = self::walk($seed, null);
            self::assertSame(0, $run->exit, substr($run->err, 0, 4000));
        }
    }

    /**
     * What is no block of this machine belongs to an extension that is not loaded, or to another version of PHP.
     */
    public function testTheListOfUnseenBlocksIsOfBlocks(): void
    {
        $names = self::names();
        self::assertContains('executor_globals', $names);
        foreach (array_diff(array_keys(self::UNSEEN), $names) as $block) {
            $extension = preg_match('/^xml[A-Z]/', $block) === 1 ? 'libxml' : $block;
            $other = in_array($block, PHP_VERSION_ID >= 80400 ? self::BEFORE_84 : self::SINCE_84, true)
                || (PHP_VERSION_ID >= 80500 && in_array($block, self::UNTIL_84, true));
            $absent = !str_contains($block, '_globals') && !extension_loaded($extension);
            // libxml2 has fewer of them since 2.14.
            $gone = $extension === 'libxml' && LIBXML_VERSION >= 21400;
            self::assertTrue($other || $absent || $gone, "{$block} is no block");
        }
    }

    public function testABlockThatDoesNotExistCannotBeLeftOut(): void
    {
        $run = Property::run('classic', 1, 1, 1, ['--without-block=no_such_block']);
        self::assertSame(1, $run->exit);
        self::assertStringContainsString('no state block is named no_such_block', $run->err);
    }
}
