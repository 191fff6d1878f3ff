<?php

/**
 * What one request does to find out whether it is alone: it sets everything that PHP keeps per request to values that are made
 * of its own id, waits several times while other requests do the same, and looks whether every value is still its own.
 *
 * Framework-free; the examples' /probe endpoints require this file, hammer.php calls them. Rules that each check keeps:
 *  1. What it sets carries the request's id, so that a wrong answer tells whose value it saw.
 *  2. It puts back what outlives a request in worker mode (one realm serves many requests, one after another).
 *  3. What cannot be put back (constants, functions, classes, stream filters) is remembered in Declared, which lives as long as
 *     the realm: the expectations then hold in classic mode, where both are new in each request, and in worker mode.
 */

declare(strict_types=1);

namespace Howdah\Tests\Isolation;

use Closure;
use Generator;
use InvalidArgumentException;

require_once __DIR__ . '/Wait.php';
require_once __DIR__ . '/Checks.php';
require_once __DIR__ . '/Findings.php';
require_once __DIR__ . '/checks/CodeChecks.php';
require_once __DIR__ . '/checks/CallbackChecks.php';
require_once __DIR__ . '/checks/SettingChecks.php';
require_once __DIR__ . '/checks/ErrorChecks.php';
require_once __DIR__ . '/checks/StreamChecks.php';
require_once __DIR__ . '/checks/RequestChecks.php';

/**
 * @phpstan-import-type Check from Checks
 */
final class Probe
{
    /** How often the checks together wait: three rounds of looking, and the waits inside callbacks. */
    private const PAUSES = 11;

    private const ROUNDS = 3;

    /** What each request does; the first is set first and put back last: what others do must not reach a framework's error handler. */
    public const GROUPS = [
        ErrorChecks::class,
        CodeChecks::class,
        CallbackChecks::class,
        SettingChecks::class,
        StreamChecks::class,
        RequestChecks::class,
    ];

    /** @var array<string, Check> what a framework adds */
    private array $added = [];

    /**
     * @param Closure(int): void $wait waits that many microseconds
     */
    public function __construct(public readonly string $id, private readonly int $waitMs, private readonly Closure $wait)
    {
        if (preg_match('/^[a-z0-9]{1,60}$/D', $id) !== 1) {
            throw new InvalidArgumentException('probe: the query needs an id made of a-z and 0-9');
        }
        if ($waitMs < 0 || $waitMs > 10_000) {
            throw new InvalidArgumentException('probe: ms must be 0 to 10000');
        }
    }

    public static function fromGlobals(): self
    {
        $text = static fn (string $key): string => is_string($_GET[$key] ?? null) ? $_GET[$key] : '';
        $id = $text('id');

        return new self($id, (int) $text('ms'), (new Wait($id, $text('waits')))->for(...));
    }

    /**
     * The value that request $id gives to $what. The hammer sends some of them and expects others back.
     */
    public static function markOf(string $id, string $what): string
    {
        return "{$what}.{$id}";
    }

    /**
     * The status that request $id must answer with.
     */
    public static function statusOf(string $id): int
    {
        return 200 + crc32($id) % 4;
    }

    public function mark(string $what): string
    {
        return self::markOf($this->id, $what);
    }

    /**
     * A number from 0 to $below - 1 that differs between requests.
     */
    public function number(string $what, int $below): int
    {
        return crc32($this->mark($what)) % $below;
    }

    /**
     * @template T
     * @param non-empty-list<T> $from
     * @return T
     */
    public function choose(string $what, array $from): mixed
    {
        return $from[$this->number($what, count($from))];
    }

    /**
     * A framework adds what it keeps itself (container, session, locale) before run().
     *
     * @param Check $check
     */
    public function add(string $name, Generator $check): void
    {
        $this->added[$name] = $check;
    }

    /**
     * @return list<string>
     */
    public function names(): array
    {
        return array_keys($this->checks());
    }

    /**
     * @return array<string, Check>
     */
    private function checks(): array
    {
        $groups = array_map(fn (string $group): array => (new $group($this))->checks(), self::GROUPS);

        return array_merge(...[...$groups, $this->added]);
    }

    /**
     * What @ would do, but that PHP does not remember the error either: that is state, which another check looks at.
     *
     * @template T
     * @param Closure(): T $work
     * @return T
     */
    public static function quietly(Closure $work): mixed
    {
        set_error_handler(static fn (): bool => true);
        try {
            return $work();
        } finally {
            restore_error_handler();
        }
    }

    public function pause(): void
    {
        ($this->wait)(intdiv($this->waitMs * 1000, self::PAUSES) + 1);
    }

    /**
     * @return array{id: string, ok: bool, compared: int, wrong: array<string, array{expected: string, actual: string}>,
     *     start: int, end: int, worker: int, realm: int, mode: string}
     */
    public function run(): array
    {
        $start = hrtime(true);
        $checks = $this->checks();
        $findings = new Findings();
        foreach ($checks as $name => $check) {
            $findings->guard($name, static fn () => $check->rewind());
        }
        for ($round = 1; $round <= self::ROUNDS; ++$round) {
            $this->pause();
            foreach ($checks as $name => $check) {
                $findings->look($name, $check);
            }
        }
        foreach (array_reverse($checks) as $name => $check) {
            $findings->end($name, $check);
        }

        return [
            'id' => $this->id,
            'ok' => $findings->wrong === [],
            'compared' => $findings->compared,
            'wrong' => $findings->wrong,
            'start' => $start,
            'end' => hrtime(true),
            ...self::place(),
        ];
    }

    /**
     * How often a realm has been put in place in this process: as good as a clock of switches.
     */
    public static function loads(): int
    {
        /** @var array{loads: int} $status */
        $status = function_exists('Howdah\status') ? \Howdah\status() : ['loads' => 0];

        return $status['loads'];
    }

    /**
     * @return array{worker: int, realm: int, mode: string}
     */
    private static function place(): array
    {
        if (!function_exists('Howdah\status')) {
            return ['worker' => (int) getmypid(), 'realm' => 0, 'mode' => PHP_SAPI];
        }
        /** @var array{worker: int, realm: int, mode: string} $status */
        $status = \Howdah\status();

        return ['worker' => $status['worker'], 'realm' => $status['realm'], 'mode' => $status['mode']];
    }
}
