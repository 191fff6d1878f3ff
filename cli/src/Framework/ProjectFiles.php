<?php

declare(strict_types=1);

namespace Howdah\Cli\Framework;

use Howdah\Cli\Failure;
use Howdah\Cli\ProjectText;

/** What lies in a project's folder, for those who tell by it what the project is made with. */
final readonly class ProjectFiles
{
    /** @var array<array-key, mixed> */
    private array $composer;

    public function __construct(public string $root)
    {
        $value = json_decode($this->text('composer.json'), true);
        // One that cannot be read is Composer's matter, not ours.
        $this->composer = is_array($value) ? $value : [];
    }

    public function has(string ...$paths): bool
    {
        foreach ($paths as $path) {
            if (!file_exists("{$this->root}/$path")) {
                return false;
            }
        }

        return true;
    }

    /** Whether composer.json asks for the package; what packages ask for themselves does not count. */
    public function requires(string $package): bool
    {
        $required = $this->composer['require'] ?? null;

        return is_array($required) && isset($required[$package]);
    }

    /** The contents of a small file; empty where there is none. */
    public function text(string $path): string
    {
        return ProjectText::of("{$this->root}/$path") ?? '';
    }

    /** The worker script that composer.json names for Howdah, below the project's folder; or null. */
    public function namedWorker(): ?string
    {
        $worker = $this->extra('howdah', 'worker');
        if ($worker !== null && (!is_string($worker) || $worker === '')) {
            throw new Failure("{$this->root}/composer.json: extra.howdah.worker must be the path of a script, as"
                . ' "public/frankenphp-worker.php"');
        }

        return $worker;
    }

    public function extra(string ...$keys): mixed
    {
        $value = $this->composer['extra'] ?? null;
        foreach ($keys as $key) {
            $value = is_array($value) ? $value[$key] ?? null : null;
        }

        return $value;
    }

    /**
     * A variable as Symfony's Dotenv will find it: in the environment, in what `composer dump-env` has written, or in the
     * files, the one that counts first. Null where none sets it.
     */
    public function variable(string $name): ?string
    {
        $environment = $name === 'APP_ENV' ? null : $this->variable('APP_ENV') ?? 'dev';
        $ofEnvironment = $environment === null ? [] : [".env.$environment.local", ".env.$environment"];
        $set = getenv($name);
        if ($set !== false) {
            return $set;
        }
        if ($this->has('.env.local.php')) {
            $isThere = preg_match("/'$name'\\s*=>\\s*'(?<value>[^']*)'/", $this->text('.env.local.php'), $match) === 1;

            return $isThere ? $match['value'] : null;
        }
        $value = "(?|\"(?<value>[^\"\\n]*)\"|'(?<value>[^'\\n]*)'|(?<value>[^\\s\"'#]*))";
        foreach ([...$ofEnvironment, '.env.local', '.env'] as $file) {
            if (preg_match("/^[ \\t]*(?:export\\s+)?{$name}[ \\t]*=[ \\t]*$value/m", $this->text($file), $match) === 1) {
                return $match['value'];
            }
        }

        return null;
    }
}
