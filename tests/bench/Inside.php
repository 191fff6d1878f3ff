<?php

declare(strict_types=1);

namespace Howdah\BenchTests;

use Closure;
use Howdah\Bench\Data\Postgres;
use Howdah\Bench\Data\Project;
use Howdah\Bench\Data\Redis;
use Howdah\Bench\Load\Contender;
use Howdah\Bench\Report\Goal;
use Howdah\Bench\Report\Samples;
use Howdah\Bench\Server\Application;
use Howdah\Bench\Suite\Given;
use Howdah\Bench\Suite\OnCodeIgniter;
use Howdah\Bench\Suite\OnDatabase;
use Howdah\Bench\Suite\OnStore;
use Howdah\Bench\Suite\Suite;
use Howdah\Cli\RuntimeFolder;
use ReflectionClass;
use ReflectionObject;

/** What suites keep to themselves: who takes part in them, and their goals. No database is started. */
final class Inside
{
    /** @return list<string> names */
    public static function contenders(Suite $suite): array
    {
        $contenders = self::value(self::inner($suite), 'contenders');
        $names = [];
        foreach (is_array($contenders) ? $contenders : [] as $one) {
            $names[] = $one instanceof Contender ? $one->name : '?';
        }

        return $names;
    }

    /** @return list<string> text and bound of each */
    public static function goals(Suite $suite): array
    {
        $goals = self::value(self::inner($suite), 'goals');
        $texts = [];
        foreach (is_array($goals) ? $goals : [] as $goal) {
            $verdict = $goal instanceof Goal ? $goal->judge(new Samples()) : null;
            $texts[] = $verdict === null ? '?' : "$verdict->goal: $verdict->bound";
        }

        return $texts;
    }

    private static function inner(Suite $suite): Suite
    {
        $given = $suite instanceof Given ? self::value($suite, 'suite') : null;
        if ($given instanceof Suite) {
            return self::inner($given);
        }
        if (!$suite instanceof OnDatabase && !$suite instanceof OnStore && !$suite instanceof OnCodeIgniter) {
            return $suite;
        }
        $make = self::value($suite, 'suite');
        $folder = new RuntimeFolder();
        $project = (new ReflectionClass(Project::class))->newInstanceWithoutConstructor();
        (new ReflectionObject($project))->getProperty('folder')->setValue($project, $folder);
        $data = match (true) {
            $suite instanceof OnDatabase => [$project, $project, new Postgres()],
            $suite instanceof OnCodeIgniter => [new Application('/', '/index.php', '/worker.php'), new Redis()],
            default => [],
        };
        $made = $make instanceof Closure ? $make(...$data) : null;
        $folder->remove();

        return $made instanceof Suite ? $made : $suite;
    }

    private static function value(object $object, string $name): mixed
    {
        for ($class = new ReflectionObject($object); $class !== false; $class = $class->getParentClass()) {
            if ($class->hasProperty($name)) {
                return $class->getProperty($name)->getValue($object);
            }
        }

        return null;
    }
}
