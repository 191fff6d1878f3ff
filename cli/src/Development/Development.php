<?php

declare(strict_types=1);

namespace Howdah\Cli\Development;

use Closure;
use Howdah\Cli\Control\Master;

/**
 * New code as soon as a file is saved.
 *
 * Reloading nginx would take half a second. Its workers stay instead, and are told that realms which have booted so far serve
 * no other request (`howdah_renew`, nginx/renew.c); opcache looks at files each time. Requests that run end as they began.
 */
final class Development
{
    /** Files that are saved together are one change: when none came for so long, */
    private const QUIET_NANOSECONDS = 10_000_000;

    /** or after so long. */
    private const LONGEST_NANOSECONDS = 200_000_000;

    /** Several files are a checkout, or Composer, and more are to come: they are told of together, this long after those. */
    private const APART_NANOSECONDS = 100_000_000;

    /** A worker that is in one call of C for long hears of it later, and of what else has changed: only then is it worth a word. */
    private const TRIES = 2;

    /** @var list<string> what no worker has heard of so far */
    private array $untold = [];

    /** In vain. */
    private int $tries = 0;

    /** Before that nothing is told; by hrtime(). */
    private int $next = 0;

    private bool $hasEnded = false;

    /**
     * @param bool                  $pages in browsers load again, also for a style sheet
     * @param Closure(string): void $tell
     */
    public function __construct(
        private readonly FileWatcher $watcher,
        private readonly bool $pages,
        private readonly Closure $tell,
    ) {
    }

    /** Whether look() is to be called again, also where the watcher tells nothing. */
    public function isToTell(): bool
    {
        return $this->untold !== [];
    }

    /**
     * The watcher may have told something, or has ended. True where nginx needs another configuration.
     *
     * @param Closure(float): bool $wait seconds, or less; true: the server is to stop
     */
    public function look(Master $master, Closure $wait): bool
    {
        $paths = [];
        $quiet = 0;
        $latest = hrtime(true) + self::LONGEST_NANOSECONDS;
        do {
            [$more, $note] = $this->watcher->read();
            if ($note !== null) {
                ($this->tell)($note);
            }
            array_push($paths, ...$more);
            $quiet = $more === [] ? $quiet : hrtime(true) + self::QUIET_NANOSECONDS;
            // Less may be waited than asked for: each signal ends it.
            $left = min(max($quiet, $this->next), $latest) - hrtime(true);
        } while ($paths !== [] && $left > 0 && !$wait($left / 1e9));
        $this->apply($master, [...$this->untold, ...$paths]);
        if (!$this->hasEnded && !$this->watcher->isAlive()) {
            $this->hasEnded = true;
            ($this->tell)('nobody watches for changes any more, the watcher has ended: stop the server and start it again');
        }

        return in_array(FileKind::Rules, array_map(FileKind::of(...), $paths), true);
    }

    /** @param list<string> $paths */
    private function apply(Master $master, array $paths): void
    {
        $code = self::those(FileKind::Code, $paths);
        $assets = $this->pages ? self::those(FileKind::Asset, $paths) : [];
        $files = [...$code, ...$assets];
        if ($files === []) {
            return;
        }
        $others = count($files) - 1;
        $this->next = $others === 0 ? 0 : (int) hrtime(true) + self::APART_NANOSECONDS;
        $what = $files[0] . ($others === 0 ? '' : " and $others more");
        $outcome = $code === [] ? 'pages in browsers load again' : 'new requests run the new code';
        if ($master->renew($code !== [])) {
            [$this->untold, $this->tries] = [[], 0];
            ($this->tell)("$what changed: $outcome");
        } else {
            $this->untold = $files;
            if (++$this->tries === self::TRIES) {
                ($this->tell)("$what changed, and no worker answers: requests may run the old code until one does");
            }
        }
    }

    /**
     * @param  list<string> $paths
     * @return list<string> each once
     */
    private static function those(FileKind $kind, array $paths): array
    {
        return array_values(array_unique(array_filter(
            $paths,
            static fn (string $path): bool => FileKind::of($path) === $kind,
        )));
    }
}
