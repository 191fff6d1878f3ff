<?php

declare(strict_types=1);

namespace Howdah\Cli;

/**
 * PHP files below the document root of a project in worker mode: /health.php, /adminer.php. They run as in classic mode, as
 * beside FrankenPHP's workers, in realms of their own: so the worker script keeps all of its own.
 *
 * What boots is no page: the worker script answers for it, as for whatever is no file.
 */
final readonly class ScriptsBeside
{
    public const LOCATION = '@scripts';

    /** Of the realms of the worker script, so many for each of these. */
    private const SHARE = 4;

    public function __construct(private Project $project, private int $atOnce)
    {
    }

    /** How many run at once in each worker where nobody says it. One request at a time means all requests. */
    public static function usual(int $concurrency): int
    {
        return $concurrency === 1 ? 0 : max(1, intdiv($concurrency, self::SHARE));
    }

    /** Whether the worker script answers for them. */
    public function isOff(): bool
    {
        return $this->atOnce === 0;
    }

    /** @return list<string> */
    public function location(): array
    {
        return $this->isOff() ? [] : [
            '',
            '# PHP files beside the worker script, as in classic mode; --scripts=0 gives them to the worker script.',
            'location ' . self::LOCATION . ' {',
            '    howdah_files;',
            "    howdah_concurrency {$this->atOnce};",
            '    howdah_warm 0;',
            '    howdah_pass classic $document_root$uri;',
            '}',
        ];
    }

    /** What howdah_files of the worker script's location says of them: the module knows what boots by what is there, whatever its name. */
    public function options(): string
    {
        $isOther = fn (string $file): bool => realpath($file) !== $this->project->script;
        $others = array_unique(array_filter($this->project->boot, $isOther));
        $options = ['scripts=' . self::LOCATION, ...array_map(fn (string $file): string => "boot=$file", $others)];

        return $this->isOff() ? '' : ' ' . implode(' ', array_map(NginxString::literal(...), $options));
    }

    /** @return list<string> regular expressions of scripts that are no pages, either: Composer's folder may be below the document root, with a runner */
    public function refused(): array
    {
        return $this->isOff() ? [] : ['^/vendor/.*\.php$'];
    }
}
