<?php

declare(strict_types=1);

namespace Howdah\Bench\Suite;

use Howdah\Bench\Load\Answer;
use Howdah\Bench\Load\Contender;
use Howdah\Bench\Load\WrongAnswer;

/** The PHP behind a server, as it answered through it (bench/app/settings.php). */
final readonly class Interpreter
{
    /** Extensions that one has by its build, and that a page which does not call them does not notice. */
    private const OF_ONE_SIDE = ['cgi-fcgi', 'howdah', 'pcntl'];

    /** Told by opcache(). */
    private const OPCACHE = 'Zend OPcache';

    /**
     * @param list<string>        $extensions
     * @param array<string|null> $ini by directive
     */
    private function __construct(
        public string $version,
        private bool $zts,
        private bool $debug,
        private string $sapi,
        private bool $opcacheLoaded,
        public bool $opcache,
        private bool $jit,
        private int $preloaded,
        private array $extensions,
        private array $ini,
    ) {
    }

    /** Starts the server, asks, and stops it. */
    public static function behind(Contender $contender): self
    {
        try {
            $contender->start();
            $answer = Answer::get($contender->port(), $contender->page->path);
            $told = json_decode($answer->body ?? '', true);
        } finally {
            $contender->stop();
        }

        return is_array($told)
            ? self::of($told)
            : throw new WrongAnswer("$contender->name does not tell what its PHP runs with");
    }

    /** @param array<mixed> $told what bench/app/settings.php says */
    public static function of(array $told): self
    {
        $yes = static fn (string $name): bool => ($told[$name] ?? false) === true;
        $text = static fn (string $name): string => is_string($told[$name] ?? null) ? $told[$name] : 'unknown';

        return new self(
            $text('version'),
            $yes('zts'),
            $yes('debug'),
            $text('sapi'),
            $yes('opcache_loaded'),
            $yes('opcache'),
            $yes('jit'),
            is_int($told['preloaded'] ?? null) ? $told['preloaded'] : 0,
            array_values(array_filter(self::list($told, 'extensions'), is_string(...))),
            self::list($told, 'ini'),
        );
    }

    /** In a few words. */
    public function describe(): string
    {
        return implode(', ', array_filter([
            $this->version,
            $this->zts ? 'ZTS' : 'NTS',
            $this->debug ? 'a debug build' : '',
            "SAPI $this->sapi",
            'opcache ' . ($this->opcache ? 'on' : 'off'),
            'JIT ' . ($this->jit ? 'on' : 'off'),
            $this->preloaded === 0 ? '' : "$this->preloaded scripts preloaded",
        ]));
    }

    /** Why nothing that it does can be compared; null when it can. */
    public function refusal(): ?string
    {
        return match (true) {
            $this->opcache => null,
            $this->opcacheLoaded => "its PHP $this->version has opcache, and it is off (opcache.enable, opcache.enable_cli)",
            default => "its PHP $this->version runs without opcache, which nothing it reads loads (zend_extension=opcache)",
        };
    }

    /** @return list<string> what is not as there: version, extensions, directives of opcache */
    public function differences(self $from): array
    {
        $without = $this->lacking($from);
        $more = $from->lacking($this);

        return array_values(array_filter([
            $this->version === $from->version ? '' : "another version than $from->version",
            $without === [] ? '' : 'without ' . implode(', ', $without),
            $more === [] ? '' : 'with ' . implode(', ', $more),
            ...$this->directives($from, true),
        ]));
    }

    /** @return list<string> extensions that the other has */
    public function lacking(self $other): array
    {
        $known = array_map(strtolower(...), [...$this->extensions, ...self::OF_ONE_SIDE, self::OPCACHE]);
        $lacking = array_filter($other->extensions, static fn (string $one): bool => !in_array(strtolower($one), $known, true));
        sort($lacking);

        return $lacking;
    }

    /**
     * Directives that differ. One that only one SAPI has (cgi.*, fastcgi.*) has nothing to be compared with.
     *
     * @param bool $opcache those of opcache, else all others
     *
     * @return list<string>
     */
    public function directives(self $from, bool $opcache): array
    {
        $differences = [];
        foreach (array_intersect_key($this->ini, $from->ini) as $name => $value) {
            if ($value !== $from->ini[$name] && str_starts_with((string) $name, 'opcache.') === $opcache) {
                $differences[] = "$name: " . json_encode($from->ini[$name]) . ' here, ' . json_encode($value) . ' there';
            }
        }

        return $differences;
    }

    /**
     * @param array<mixed> $told
     *
     * @return array<string|null> whatever its keys are
     */
    private static function list(array $told, string $name): array
    {
        $list = $told[$name] ?? [];

        return is_array($list) ? array_map(fn (mixed $one) => is_scalar($one) ? (string) $one : null, $list) : [];
    }
}
