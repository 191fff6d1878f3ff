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
use Throwable;

require_once __DIR__ . '/Wait.php';
require_once __DIR__ . '/checks/CodeChecks.php';
require_once __DIR__ . '/checks/CallbackChecks.php';
require_once __DIR__ . '/checks/SettingChecks.php';
require_once __DIR__ . '/checks/ErrorChecks.php';
require_once __DIR__ . '/checks/StreamChecks.php';
require_once __DIR__ . '/checks/RequestChecks.php';

/**
 * A check sets its state, yields a look, and puts the state back when it goes on. It may yield a second look, for what shows
 * only while it puts things back.
 *
 * @phpstan-type Look Closure(): array<string, array{mixed, mixed}>
 * @phpstan-type Check Generator<int, Look, mixed, void>
 */
final class Probe
{
    /** How often the checks together wait: three rounds of looking, and the waits inside callbacks. */
    private const PAUSES = 11;

    private const ROUNDS = 3;

    /** @var array<string, Check> */
    private array $checks = [];

    /** @var array<string, array{expected: string, actual: string}> */
    private array $wrong = [];

    private int $compared = 0;

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
        foreach (
            [
                // First to be set, last to be put back: what the others do must not reach a framework's error handler.
                new ErrorChecks($this),
                new CodeChecks($this),
                new CallbackChecks($this),
                new SettingChecks($this),
                new StreamChecks($this),
                new RequestChecks($this),
            ] as $group
        ) {
            foreach ($group->checks() as $name => $check) {
                $this->add($name, $check);
            }
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
        $this->checks[$name] = $check;
    }

    /**
     * @return list<string>
     */
    public function names(): array
    {
        return array_keys($this->checks);
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
        foreach ($this->checks as $name => $check) {
            $this->guard($name, static fn () => $check->rewind());
        }
        for ($round = 1; $round <= self::ROUNDS; ++$round) {
            $this->pause();
            foreach ($this->checks as $name => $check) {
                $this->guard($name, fn () => $this->look($name, $check));
            }
        }
        foreach (array_reverse($this->checks) as $name => $check) {
            $this->guard($name, function () use ($name, $check): void {
                $check->next();
                $this->look($name, $check);
                $check->next();
            });
        }

        return [
            'id' => $this->id,
            'ok' => $this->wrong === [],
            'compared' => $this->compared,
            'wrong' => $this->wrong,
            'start' => $start,
            'end' => hrtime(true),
            ...self::place(),
        ];
    }

    /**
     * Foreign state makes PHP throw, too: that is an answer, and the other checks still put back what they set.
     */
    private function guard(string $name, Closure $step): void
    {
        try {
            $step();
        } catch (Throwable $error) {
            $this->wrong["{$name}: threw"] ??= ['expected' => 'nothing', 'actual' => self::describe($error)];
        }
    }

    /**
     * @param Check $check
     */
    private function look(string $name, Generator $check): void
    {
        if (!$check->valid()) {
            return;
        }
        foreach ($check->current()() as $what => [$expected, $actual]) {
            ++$this->compared;
            if ($expected !== $actual) {
                $this->wrong["{$name}: {$what}"] ??= [
                    'expected' => self::describe($expected),
                    'actual' => self::describe($actual),
                ];
            }
        }
    }

    private static function describe(mixed $value): string
    {
        return match (true) {
            $value instanceof Throwable => substr("{$value->getMessage()} ({$value->getFile()}:{$value->getLine()})", 0, 600),
            is_object($value) => $value::class . '#' . spl_object_id($value),
            default => substr(var_export($value, true), 0, 300),
        };
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
