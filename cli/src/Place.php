<?php

declare(strict_types=1);

namespace Howdah\Cli;

/**
 * A folder where root's processes write. Whoever else may write there, or in a folder above it, could put a link in the place
 * of a file, and root would write, chmod or remove what that leads to.
 */
final readonly class Place
{
    /** As many as Linux follows in one path (path_resolution(7)). */
    private const MOST_LINKS = 40;

    /** Where it lies, without links: so that nobody can turn one of them. */
    public string $path;

    /** @var list<string> those that lead there, each by a path without others: who may turn one has led us here */
    private array $links;

    public function __construct(string $folder)
    {
        clearstatcache();
        [$this->path, $this->links] = self::follow($folder);
    }

    /** @return array{string, list<string>} where it lies, and the links */
    private static function follow(string $folder): array
    {
        $links = [];
        $here = '/';
        $steps = explode('/', str_starts_with($folder, '/') ? $folder : getcwd() . "/$folder");
        while ($steps !== []) {
            $step = array_shift($steps);
            if ($step === '' || $step === '.') {
                continue;
            }
            $next = $step === '..' ? dirname($here) : rtrim($here, '/') . "/$step";
            $target = is_link($next) && count($links) < self::MOST_LINKS ? @readlink($next) : false;
            if ($target === false) {
                $here = $next;
                continue;
            }
            $links[] = $next;
            $here = str_starts_with($target, '/') ? '/' : $here;
            $steps = [...explode('/', $target), ...$steps];
        }

        return [$here, $links];
    }

    /**
     * The folder in which others could put what they like in the place of an entry of root's; null: there is none.
     *
     * @param bool $isNew        the entry is made by us, and fails where there is one: then nobody can take it away from a
     *                           folder such as /tmp (sticky)
     * @param bool $makesFolders so are those above it which are not there, and whose they are is looked at again
     */
    public function weakness(bool $isNew, bool $makesFolders = false): ?string
    {
        clearstatcache();
        foreach ($this->links as $link) {
            $is = @lstat($link);
            $weakness = self::weakestOf(dirname($link), $is !== false && in_array($is['uid'], [0, posix_geteuid()], true));
            if ($weakness !== null) {
                return $weakness;
            }
        }

        return self::weakestOf($this->path, $isNew, $isNew && $makesFolders);
    }

    /** @param bool $isNew the entry in it is ours, or made by us */
    private static function weakestOf(string $place, bool $isNew, bool $makesFolders = false): ?string
    {
        $mayBeSticky = $isNew;
        for ($folder = $place; $folder !== ''; $folder = $folder === '/' ? '' : dirname($folder)) {
            $is = @stat($folder);
            if ($is === false) {
                // Whoever may write in the one above can still make it, and so may everybody in a folder such as /tmp.
                $mayBeSticky = $makesFolders;
                continue;
            }
            if (!in_array($is['uid'], [0, posix_geteuid()], true)) {
                return $folder;
            }
            $mode = new FileMode($is['mode']);
            if ($mode->isWritableByOthers($is['gid'] !== 0) && !($mayBeSticky && $mode->isSticky())) {
                return $folder;
            }
            $mayBeSticky = true;
        }

        return null;
    }

    /** Fails where a server of root's whose workers are another user's would not be safe there. */
    public function assertRoots(string $what, bool $isNew, string $way, bool $makesFolders = false): void
    {
        $weakness = $this->weakness($isNew, $makesFolders);
        if ($weakness !== null) {
            $sticky = $this->wouldBeSafeSticky($weakness, $isNew) ? ", or `chmod +t $weakness`" : '';
            throw new Failure("$what: other users than root may write in $weakness, and could have root write elsewhere:"
                . " $way$sticky");
        }
    }

    /** As /tmp is not where Kubernetes has made it (emptyDir). */
    private function wouldBeSafeSticky(string $weakness, bool $isNew): bool
    {
        $is = @stat($weakness);

        return $is !== false && $is['uid'] === 0
            && !(new FileMode($is['mode']))->isSticky() && ($isNew || $weakness !== $this->path);
    }
}
