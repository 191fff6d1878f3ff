<?php

declare(strict_types=1);

namespace Howdah\Tests\Phpt;

/** One test: its sections, where its scripts lie, and what its requests need. */
final class Test
{
    private const NEVER = ['ARGS', 'STDIN', 'PHPDBG'];

    /** Its scripts' path without ".php", from the root of the sources. */
    public readonly string $path;
    public readonly Expectation $expectation;

    /**
     * @param string                $name        the .phpt file, from the root of the sources
     * @param array<string, string> $environment of the test that redirects to this one
     * @param list<string>          $extensions  that other one's
     */
    public function __construct(
        public readonly string $root,
        public readonly string $name,
        public readonly Sections $sections,
        private readonly array $environment = [],
        private readonly array $extensions = [],
    ) {
        $this->path = substr($name, 0, -strlen('.phpt'));
        $this->expectation = new Expectation($sections);
    }

    /**
     * Why the test cannot be asked for over HTTP on this machine, whatever serves it; null when it can.
     *
     * @param list<string> $loaded extensions
     */
    public function obstacle(array $loaded): ?string
    {
        foreach (self::NEVER as $section) {
            if ($this->sections->has($section)) {
                return "needs $section";
            }
        }
        if (!$this->sections->has('FILE')) {
            return 'has no script';
        }
        $missing = array_diff(array_map(strtolower(...), $this->extensions()), $loaded);

        return $missing === [] ? null : 'needs the extension ' . implode(', ', $missing);
    }

    /** @return list<string> */
    public function extensions(): array
    {
        return [...$this->extensions, ...$this->sections->lines('EXTENSIONS')];
    }

    /** @return array<string, string> */
    public function settings(): array
    {
        $replaced = str_replace(['{PWD}', '{TMP}'], [$this->folder(), sys_get_temp_dir()], $this->sections->lines('INI'));

        return Settings::of(preg_replace('/{MAIL:(\S+)}/', 'tee $1 >/dev/null', $replaced));
    }

    /** @return array<string, string> */
    public function environment(): array
    {
        $environment = $this->environment;
        foreach (str_replace('{PWD}', $this->folder(), $this->sections->lines('ENV')) as $line) {
            [$name, $value] = [...explode('=', $line, 2), null];
            if ($value !== null && $name !== '') {
                $environment[$name] = $value;
            }
        }

        return $environment;
    }

    /** @return list<string> what must not be used by two tests at once; "all": the test runs alone */
    public function conflicts(): array
    {
        $lines = $this->sections->lines('CONFLICTS');
        $ofFolder = dirname($this->sections->file) . '/CONFLICTS';
        if (is_file($ofFolder)) {
            $lines = [...$lines, ...preg_split('/\s+/', trim((string) file_get_contents($ofFolder))) ?: []];
        }

        // Others would run without opcache until it has restarted, and some tests show what it makes of their code.
        if (str_contains($this->sections->get('FILE'), 'opcache_reset(')) {
            $lines[] = 'all';
        }

        return array_values(array_filter($lines, static fn (string $line): bool => $line !== '' && $line[0] !== '#'));
    }

    /** About how many seconds it waits, by its source: who waits long starts first. */
    public function waits(): float
    {
        $script = $this->sections->get('FILE');
        preg_match_all('/\bsleep\((\d+(?:\.\d+)?)\)/', $script, $seconds);
        preg_match_all('/\busleep\((\d+)\)/', $script, $micro);
        $slow = str_contains($this->sections->get('SKIPIF'), 'SKIP_SLOW_TESTS') ? 5.0 : 0.0;

        return $slow + array_sum($seconds[1]) + array_sum($micro[1]) / 1e6;
    }

    /** Writes the scripts, as run-tests.php does. */
    public function write(): void
    {
        foreach (['' => 'FILE', '.skip' => 'SKIPIF', '.clean' => 'CLEAN'] as $suffix => $section) {
            $text = $section === 'CLEAN' ? trim($this->sections->get($section)) : $this->sections->get($section);
            $file = "$this->root/$this->path$suffix.php";
            if (trim($text) !== '' && file_put_contents($file, $text) === false) {
                throw new Failure("$file cannot be written");
            }
        }
    }

    private function folder(): string
    {
        return dirname($this->sections->file);
    }
}
