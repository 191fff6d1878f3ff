<?php

/**
 * What code keeps: static properties and variables, globals, and what it declares.
 */

declare(strict_types=1);

namespace Howdah\Tests\Isolation;

use Closure;
use Generator;

class Statics
{
    public static ?string $shared = null;
    public static ?string $redeclared = null;

    /** @var list<string> */
    public static array $list = [];

    /**
     * Since PHP 8.1 a child class that inherits this method shares its static variables.
     */
    public static function remember(?string $value = null): mixed
    {
        static $kept = null;
        if ($value !== null) {
            $kept = $value;
        }

        return $kept;
    }
}

final class InheritedStatics extends Statics
{
    public static ?string $redeclared = null;
}

/**
 * What this realm has declared for good: name to value.
 */
final class Declared
{
    /** Few enough that a realm which lives long does not grow. */
    private const NAMES = 64;

    /** @var array<string, string> */
    public static array $values = [];

    public static function name(Probe $probe, string $prefix): string
    {
        return $prefix . $probe->number($prefix, self::NAMES);
    }
}

function remember(?string $value = null): mixed
{
    static $kept = null;
    if ($value !== null) {
        $kept = $value;
    }

    return $kept;
}

/**
 * @phpstan-import-type Check from Checks
 */
final class CodeChecks implements Checks
{
    public function __construct(private readonly Probe $probe)
    {
    }

    /**
     * @return array<string, Check>
     */
    public function checks(): array
    {
        return [
            'statics' => $this->statics(),
            'function statics' => $this->functionStatics(),
            'globals' => $this->globals(),
            'constant' => $this->constant(),
            'function' => $this->declaredFunction(),
            'class' => $this->declaredClass(),
            'autoload' => $this->autoload(),
        ];
    }

    /** @return Check */
    private function statics(): Generator
    {
        Statics::$shared = $this->probe->mark('static');
        Statics::$redeclared = $this->probe->mark('parent');
        Statics::$list[] = $this->probe->mark('list');
        InheritedStatics::$redeclared = $this->probe->mark('child');
        yield fn (): array => [
            'own' => [$this->probe->mark('static'), Statics::$shared],
            'inherited' => [$this->probe->mark('static'), InheritedStatics::$shared],
            'list' => [[$this->probe->mark('list')], Statics::$list],
            'of the parent' => [$this->probe->mark('parent'), Statics::$redeclared],
            'redeclared' => [$this->probe->mark('child'), InheritedStatics::$redeclared],
        ];
        Statics::$shared = Statics::$redeclared = InheritedStatics::$redeclared = null;
        Statics::$list = [];
    }

    /** @return Check */
    private function functionStatics(): Generator
    {
        $closure = function (?string $value = null): mixed {
            static $kept = null;

            return $kept = $value ?? $kept;
        };
        remember($this->probe->mark('function'));
        Statics::remember($this->probe->mark('method'));
        $closure($this->probe->mark('closure'));
        yield fn (): array => [
            'function' => [$this->probe->mark('function'), remember()],
            'method' => [$this->probe->mark('method'), Statics::remember()],
            'inherited method' => [$this->probe->mark('method'), InheritedStatics::remember()],
            'closure' => [$this->probe->mark('closure'), $closure()],
        ];
    }

    /** @return Check */
    private function globals(): Generator
    {
        $GLOBALS['howdah_probe'] = $this->probe->mark('global');
        yield function (): array {
            global $howdah_probe;

            return [
                'by name' => [$this->probe->mark('global'), $howdah_probe],
                '$GLOBALS' => [$this->probe->mark('global'), $GLOBALS['howdah_probe'] ?? null],
            ];
        };
        unset($GLOBALS['howdah_probe']);
    }

    /** @return Check */
    private function constant(): Generator
    {
        $name = Declared::name($this->probe, 'PROBE_CONSTANT_');
        yield $this->declared($name, defined($name), 'define', static fn (): mixed => constant($name));
    }

    /** @return Check */
    private function declaredFunction(): Generator
    {
        $name = Declared::name($this->probe, 'probe_function_');
        yield $this->declared(
            $name,
            function_exists($name),
            static fn (string $name, string $value) => eval("function {$name}() { return '{$value}'; }"),
            static fn (): mixed => is_callable($name) ? $name() : null,
        );
    }

    /** @return Check */
    private function declaredClass(): Generator
    {
        $name = Declared::name($this->probe, 'ProbeClass');
        yield $this->declared(
            $name,
            class_exists($name, false),
            static fn (string $name, string $value) => eval("class {$name} { const VALUE = '{$value}'; }"),
            static fn (): mixed => constant("{$name}::VALUE"),
        );
    }

    /**
     * @param callable(string, string): mixed $declare
     * @return Closure(): array<string, array{mixed, mixed}>
     */
    private function declared(string $name, bool $exists, callable $declare, Closure $read): Closure
    {
        $expected = isset(Declared::$values[$name]);
        if (!$exists) {
            Declared::$values[$name] = $this->probe->mark($name);
            $declare($name, Declared::$values[$name]);
        }

        return static fn (): array => [
            "{$name} existed" => [$expected, $exists],
            "{$name}" => [Declared::$values[$name] ?? null, $read()],
        ];
    }

    /** @return Check */
    private function autoload(): Generator
    {
        $asked = [];
        $loader = function (string $class) use (&$asked): void {
            if (str_starts_with($class, 'ProbeMissing')) {
                $asked[] = $class;
                $this->probe->pause();
            }
        };
        spl_autoload_register($loader, true, true);
        $loaders = spl_autoload_functions();
        $class = 'ProbeMissing' . $this->probe->id;
        class_exists($class);
        yield function () use ($loader, $loaders, $class, &$asked): array {
            return [
                'first' => [$loader, spl_autoload_functions()[0] ?? null],
                'all' => [$loaders, spl_autoload_functions()],
                'asked' => [[$class], $asked],
            ];
        };
        spl_autoload_unregister($loader);
    }
}
