<?php

/**
 * What one request of the property test does: a random walk over every check of tests/isolation. A step begins a check (its
 * state gets a value that is made of the request and the step), looks whether what it has set is still so, or puts it back.
 * Between two steps others may run. The same seed walks the same way.
 */

declare(strict_types=1);

namespace Howdah\Tests\Property;

use Generator;
use Howdah\Tests\Isolation\Checks;
use Howdah\Tests\Isolation\Findings;
use Howdah\Tests\Isolation\Probe;
use Howdah\Tests\Isolation\RequestChecks;
use Random\Engine\Xoshiro256StarStar;
use Random\Randomizer;

require_once __DIR__ . '/../isolation/Probe.php';
foreach (glob(__DIR__ . '/../isolation/checks/*.php') ?: [] as $file) {
    require_once $file;
}

/**
 * @phpstan-import-type Check from Checks
 */
final class Walk
{
    /** These are about the request that a realm has, and last until it ends. */
    private const ONCE = ['answer', 'shutdown'];

    /** How often a check is looked at before it is put back. */
    private const LOOKS = 3;

    /** Of a hundred steps, those after which the request waits. */
    private const WAITS = 30;

    /** For so many steps some checks are hot, the same ones in all realms: half of the steps are theirs, so that they meet. */
    private const EPOCH = 25;

    private const HOT = 4;

    private const REALMS = 16;

    /** In the middle of a check, how many turns the others get at most. */
    private const TURNS = 6;

    private readonly Randomizer $dice;

    private readonly Findings $findings;

    /** @var array<string, class-string<Checks>> by the name of the check */
    private array $groups = [];

    /** @var array<string, array{Check, int}> what is under way, and how often it was looked at */
    private array $active = [];

    /** @var list<string> */
    private array $hot = [];

    private int $step = 0;

    /** Changes with each switch between realms: equal in two runs that switched in the same places. */
    private string $order = '';

    /**
     * @param string $id of the request, as in Probe
     * @param list<string> $only names of checks; all when empty
     */
    public function __construct(private readonly string $id, private readonly int $seed, array $only = [])
    {
        // No state of PHP's own generators, which are among what is checked.
        $this->dice = new Randomizer(new Xoshiro256StarStar(hash('sha256', "{$seed}.{$id}", true)));
        $this->findings = new Findings();
        foreach (self::groups() as $group) {
            foreach (array_keys((new $group($this->probe('names')))->checks()) as $name) {
                if ($only === [] || in_array($name, $only, true)) {
                    $this->groups[$name] = $group;
                }
            }
        }
    }

    /**
     * @return list<class-string<Checks>>
     */
    private static function groups(): array
    {
        return array_values(array_filter(
            get_declared_classes(),
            static fn (string $class): bool => is_subclass_of($class, Checks::class),
        ));
    }

    /**
     * @return array{ok: bool, compared: int, steps: int, checks: int, order: string,
     *     wrong: array<string, array{expected: string, actual: string}>}
     */
    public function run(int $steps): array
    {
        $all = array_keys($this->groups);
        while ($this->step < $steps && $this->findings->wrong === []) {
            if ($this->step++ % self::EPOCH === 0) {
                $this->hot = $this->heat($all, $steps);
            }
            $names = $this->dice->getInt(0, 1) === 1 ? $this->hot : $all;
            $this->take($names[$this->dice->getInt(0, count($names) - 1)]);
            if ($this->dice->getInt(1, 100) <= self::WAITS) {
                $this->wait();
            }
        }
        foreach (array_diff(array_reverse(array_keys($this->active)), self::ONCE) as $name) {
            $this->findings->end($name, $this->active[$name][0]);
        }
        if ($this->findings->wrong === []) {
            $this->findAgain();
        }

        return [
            'ok' => $this->findings->wrong === [],
            'compared' => $this->findings->compared,
            'steps' => $this->step,
            'checks' => count($all),
            'order' => $this->order,
            'wrong' => $this->findings->wrong,
        ];
    }

    /**
     * The hot checks of an epoch: one after another, each is.
     *
     * @param list<string> $all
     * @return list<string>
     */
    private function heat(array $all, int $steps): array
    {
        $order = (new Randomizer(new Xoshiro256StarStar(hash('sha256', (string) $this->seed, true))))->shuffleArray($all);
        $generation = intdiv((int) filter_var($this->id, FILTER_SANITIZE_NUMBER_INT), self::REALMS);
        $epoch = $generation * (int) ceil($steps / self::EPOCH) + intdiv($this->step, self::EPOCH);

        return array_map(
            static fn (int $i): string => $order[($epoch * self::HOT + $i) % count($order)],
            range(0, self::HOT - 1),
        );
    }

    private function findAgain(): void
    {
        foreach (array_intersect(array_keys($this->active), self::ONCE) as $name) {
            $this->findings->look($name, $this->active[$name][0]);
        }
    }

    private function take(string $name): void
    {
        if (!isset($this->active[$name])) {
            $check = $this->begin($name);
            $this->active[$name] = [$check, 0];
            $this->findings->guard($name, static fn () => $check->rewind());

            return;
        }
        [$check, $looks] = $this->active[$name];
        if (in_array($name, self::ONCE, true) || ($looks < self::LOOKS && $this->dice->getInt(0, 2) > 0)) {
            $this->active[$name][1] = $looks + 1;
            $this->findings->look($name, $check);

            return;
        }
        $this->findings->end($name, $check);
        unset($this->active[$name]);
    }

    /**
     * @return Check
     */
    private function begin(string $name): Generator
    {
        $group = $this->groups[$name];
        // What came with the request carries the request's own id.
        $id = $group === RequestChecks::class ? $this->id : "{$this->id}s{$this->step}";

        return (new $group($this->probe($id)))->checks()[$name];
    }

    private function probe(string $id): Probe
    {
        return new Probe($id, 0, $this->pause(...));
    }

    /** In the middle of a check: in a callback, while a library works. */
    private function pause(): void
    {
        for ($turns = max(0, $this->dice->getInt(-self::TURNS, self::TURNS)); $turns > 0; --$turns) {
            $this->wait();
        }
    }

    private function wait(): void
    {
        usleep(0);
        $this->order = hash('crc32b', $this->order . Probe::loads());
    }
}
