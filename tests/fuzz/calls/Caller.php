<?php

declare(strict_types=1);

namespace Howdah\Fuzz\Calls;

use Random\Engine\Xoshiro256StarStar;
use Random\Randomizer;
use ReflectionClass;
use ReflectionFunction;
use ReflectionFunctionAbstract;
use ReflectionMethod;
use RuntimeException;
use Throwable;

require_once __DIR__ . '/Excluded.php';
require_once __DIR__ . '/Values.php';

/** Calls functions, constructors and methods of PHP and its extensions, chosen by a seed: the same ones under php-cli. */
final class Caller
{
    private readonly Randomizer $dice;
    private readonly Values $values;

    /** @var non-empty-list<string> */
    private readonly array $names;

    /** @param string $names file with what may be called: self::names(), as JSON */
    public function __construct(string $names, string $seed, private readonly string $folder)
    {
        $list = json_decode((string) file_get_contents($names), true);
        $list = array_values(array_filter(is_array($list) ? $list : [], is_string(...)));
        $this->names = $list === [] ? throw new RuntimeException("$names has no names") : $list;
        $this->dice = new Randomizer(new Xoshiro256StarStar(hash('sha256', $seed, true)));
        $this->values = new Values($this->dice, $folder);
    }

    /** @return list<string> functions, and methods as class::method, that this PHP has and that are not excluded */
    public static function names(): array
    {
        $names = get_defined_functions()['internal'];
        foreach (get_declared_classes() as $class) {
            $reflection = new ReflectionClass($class);
            foreach ($reflection->isInternal() ? $reflection->getMethods() : [] as $method) {
                if ($method->isPublic() && !$method->isAbstract()) {
                    $names[] = "$class::{$method->getName()}";
                }
            }
        }

        return array_values(array_filter($names, static fn (string $name): bool => !Excluded::has($name)));
    }

    /** @param callable(string): void $before is told of each call */
    public function run(int $calls, callable $before): void
    {
        chdir($this->folder);
        file_put_contents('file', "first line\nsecond,line\n");
        error_reporting(0);
        for ($i = 0; $i < $calls; $i++) {
            $name = $this->values->choose($this->names);
            $before($name);
            try {
                $this->values->keep($this->call($name));
            } catch (Throwable) {
            }
        }
    }

    private function call(string $name): mixed
    {
        [$class, $method] = [...explode('::', $name, 2), ''];
        if ($method === '') {
            $function = new ReflectionFunction($class);

            return $function->invokeArgs($this->arguments($function));
        }
        /** @var class-string $class */
        if ($method === '__construct') {
            $constructor = new ReflectionMethod($class, $method);

            return (new ReflectionClass($class))->newInstanceArgs($this->arguments($constructor));
        }
        $reflection = new ReflectionMethod($class, $method);

        $object = $reflection->isStatic() ? null : $this->values->instance($class);

        return $reflection->invokeArgs($object, $this->arguments($reflection));
    }

    /** @return array<int, mixed> */
    private function arguments(ReflectionFunctionAbstract $function): array
    {
        $arguments = [];
        foreach ($function->getParameters() as $i => $parameter) {
            if ($parameter->isOptional() && $this->dice->getInt(0, 2) === 0) {
                break;
            }
            $slot = $this->values->of((string) $parameter->getType());
            if ($parameter->isPassedByReference()) {
                $arguments[$i] = &$slot;
            } else {
                $arguments[$i] = $slot;
            }
            unset($slot);
        }

        return $arguments;
    }
}
