<?php

declare(strict_types=1);

namespace Howdah\Bench\Counts;

use Howdah\Cli\Failure;
use Howdah\Cli\Program;

/** What counts depend on beside this project: those of one world say nothing about another's. */
final readonly class World
{
    /** @param array<string, string> $facts by what they are of */
    public function __construct(public array $facts)
    {
    }

    /** @param list<string> $projects the examples' folders */
    public static function here(string $runner, string $valgrind, array $projects): self
    {
        $told = json_decode(self::say([$runner, '--extensions']), true);
        $php = is_array($told) && is_string($told['php'] ?? null) ? $told['php']
            : throw new Failure("$runner tells no version of PHP");
        $facts = [
            'PHP' => $php,
            'the C library' => self::firstLine(['ldd', '--version']),
            'the compiler' => self::firstLine(['gcc', '--version']),
            'valgrind' => self::firstLine([$valgrind, '--version']),
            'the processor' => php_uname('m'),
        ];
        foreach ($projects as $project) {
            $facts['the packages of ' . basename($project)] = self::packages("$project/vendor/composer/installed.json");
        }

        return new self($facts);
    }

    /** The series, for which there is one file. */
    public function series(): string
    {
        return implode('.', array_slice(explode('.', $this->facts['PHP'] ?? ''), 0, 2));
    }

    /** @return list<string> what is here, and what was there */
    public function differences(self $kept): array
    {
        $different = [];
        foreach ($this->facts + $kept->facts as $of => $ignored) {
            [$here, $there] = [$this->facts[$of] ?? 'nothing', $kept->facts[$of] ?? 'nothing'];
            if ($here !== $there) {
                $different[] = "$of: $here is here, the counts are of $there";
            }
        }

        return $different;
    }

    /** Names and versions, as one short word; not those of this checkout (Composer's path repositories), whose version is a branch's name. */
    public static function packages(string $file): string
    {
        $installed = json_decode((string) @file_get_contents($file), true);
        $packages = is_array($installed) && is_array($installed['packages'] ?? null) ? $installed['packages'] : null;
        if ($packages === null) {
            throw new Failure("$file names no packages: run its project's bin/setup");
        }
        $versions = [];
        foreach ($packages as $package) {
            $package = is_array($package) ? $package : [];
            if (!is_array($package['dist'] ?? null) || ($package['dist']['type'] ?? null) !== 'path') {
                $versions[] = json_encode([$package['name'] ?? null, $package['version'] ?? null], JSON_THROW_ON_ERROR);
            }
        }
        sort($versions);

        return substr(hash('sha256', implode("\n", $versions)), 0, 12);
    }

    /** @param list<string> $command */
    private static function firstLine(array $command): string
    {
        return explode("\n", self::say($command), 2)[0];
    }

    /** @param list<string> $command */
    private static function say(array $command): string
    {
        $said = Program::run($command);

        return $said->status === 0 ? $said->output
            : throw new Failure(implode(' ', $command) . ": $said->output $said->errors");
    }
}
