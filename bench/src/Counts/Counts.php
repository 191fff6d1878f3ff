<?php

declare(strict_types=1);

namespace Howdah\Bench\Counts;

use Howdah\Cli\Failure;
use Howdah\Cli\WholeFile;

/** The counts of one world, as they are kept in a file. */
final readonly class Counts
{
    /** More than this is growth: ten runs differ by less than a tenth of it (README.md). */
    public const BOUND = 0.02;

    /** @param array<string, array<string, int>> $counts by page, by kind */
    public function __construct(public World $world, public array $counts)
    {
    }

    /** null: there are none. */
    public static function read(string $file): ?self
    {
        if (!is_file($file)) {
            return null;
        }
        $kept = json_decode((string) @file_get_contents($file), true);
        [$world, $counts] = is_array($kept) ? [$kept['world'] ?? null, $kept['counts'] ?? null] : [null, null];
        if (!is_array($world) || !is_array($counts)) {
            throw new Failure("$file has no counts: write it anew with `bench/run counts --write`");
        }
        $facts = $pages = [];
        foreach ($world as $of => $fact) {
            $facts[(string) $of] = is_string($fact) ? $fact : '';
        }
        foreach ($counts as $page => $kinds) {
            $pages[(string) $page] = [];
            foreach (is_array($kinds) ? $kinds : [] as $kind => $count) {
                $pages[(string) $page][(string) $kind] = is_int($count) ? $count
                    : throw new Failure("$file: $page, $kind is no count: write it anew with `bench/run counts --write`");
            }
        }

        return new self(new World($facts), $pages);
    }

    public function write(string $file): void
    {
        $kept = ['world' => $this->world->facts, 'counts' => $this->counts];
        $text = json_encode($kept, JSON_PRETTY_PRINT | JSON_UNESCAPED_SLASHES | JSON_THROW_ON_ERROR);
        WholeFile::write($file, "$text\n", 'free some space there', 0644);
    }

    /**
     * Against what was kept, a line for each count that is not what it was; a page or a kind that only one of the two has is
     * growth: nobody would notice.
     *
     * @return array{list<string>, list<string>} what has grown beyond the bound; what else is to be told
     */
    public function changes(self $kept): array
    {
        $grown = $told = [];
        foreach ($this->counts + $kept->counts as $page => $ignored) {
            [$now, $before] = [$this->counts[$page] ?? [], $kept->counts[$page] ?? []];
            foreach (array_keys($now + $before) as $kind) {
                $what = "$page: " . (Kind::tryFrom($kind)?->describe() ?? $kind);
                if (!isset($now[$kind], $before[$kind])) {
                    $grown[] = "$what: " . (isset($now[$kind]) ? 'not kept yet' : 'kept, and not counted');
                    continue;
                }
                $line = sprintf('%s: %s, kept are %s', $what, number_format($now[$kind]), number_format($before[$kind]));
                $share = $now[$kind] / max($before[$kind], 1) - 1;
                if ($share > self::BOUND) {
                    $grown[] = $line . sprintf(' (%+.1f %%)', 100 * $share);
                } elseif ($now[$kind] !== $before[$kind]) {
                    $told[] = $line . sprintf(' (%+.1f %%)', 100 * $share);
                }
            }
        }

        return [$grown, $told];
    }
}
