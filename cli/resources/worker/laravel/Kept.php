<?php

declare(strict_types=1);

namespace Howdah\Worker\Laravel;

use Illuminate\Foundation\Application as Laravel;
use Illuminate\Foundation\Vite;
use Illuminate\Http\Client\Factory as HttpFactory;
use ReflectionObject;
use ReflectionProperty;

/**
 * Services that the booted application has, as they were when it had booted: their properties are put back after each request.
 *
 * They stay the same objects. Others have got hold of them while the application booted, and a clone for each request would
 * leave those with a service that knows nothing of it.
 */
final readonly class Kept
{
    /** By their names in the container. What each keeps in arrays and values goes; the objects that it has are the same. */
    private const SERVICES = ['auth', 'config', 'cookie', 'session', 'url', 'validator', 'view', Vite::class,
        HttpFactory::class];

    /** @param list<array{object, ReflectionProperty, mixed}> $properties */
    private function __construct(private array $properties)
    {
    }

    public static function of(Laravel $app): self
    {
        $properties = [];
        foreach (self::SERVICES as $name) {
            if ($app->bound($name) && $app->isShared($name)) {
                array_push($properties, ...self::properties($app->make($name)));
            }
        }

        return new self($properties);
    }

    public function putBack(): void
    {
        foreach ($this->properties as [$object, $property, $value]) {
            $property->setValue($object, $value);
        }
    }

    /** @return list<array{object, ReflectionProperty, mixed}> those of the class and of what it extends */
    private static function properties(object $object): array
    {
        $found = [];
        for ($class = new ReflectionObject($object); $class !== false; $class = $class->getParentClass()) {
            foreach ($class->getProperties() as $property) {
                $isOwn = $property->getDeclaringClass()->name === $class->name;
                $isFixed = $property->isStatic() || $property->isReadOnly();
                if ($isOwn && !$isFixed && $property->isInitialized($object)) {
                    $found[] = [$object, $property, $property->getValue($object)];
                }
            }
        }

        return $found;
    }
}
