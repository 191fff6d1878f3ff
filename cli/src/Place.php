<?php

declare(strict_types=1);

namespace Howdah\Cli;

/**
 * A folder where root's processes write. Whoever else may write there, or in a folder above it, could put a link in the place
 * of a file, and root would write, chmod or remove what that leads to.
 */
final readonly class Place
{
    private const STICKY = 0o1000;
    private const BY_GROUP = 0o020;
    private const BY_OTHERS = 0o002;

    /** Where it lies, without links: so that nobody can turn one of them. One that is not there: as it was given. */
    public string $path;

    public function __construct(string $folder)
    {
        $this->path = realpath($folder) ?: $folder;
    }

    /**
     * The folder in which others could put what they like in the place of an entry of root's; null: there is none.
     *
     * @param bool $isNew the entry is made by us, and fails where there is one: then nobody can take it away from a folder such
     *                    as /tmp (sticky)
     */
    public function weakness(bool $isNew): ?string
    {
        $mayBeSticky = $isNew;
        for ($folder = $this->path; $folder !== ''; $folder = $folder === '/' ? '' : dirname($folder)) {
            clearstatcache();
            $is = @stat($folder);
            if ($is === false) {
                return null; // who writes there fails
            }
            if (!in_array($is['uid'], [0, posix_geteuid()], true)) {
                return $folder;
            }
            $byOthers = ($is['mode'] & self::BY_OTHERS) !== 0 || (($is['mode'] & self::BY_GROUP) !== 0 && $is['gid'] !== 0);
            if ($byOthers && !($mayBeSticky && ($is['mode'] & self::STICKY) !== 0)) {
                return $folder;
            }
            $mayBeSticky = true;
        }

        return null;
    }

    /** Fails where a server of root's whose workers are another user's would not be safe there. */
    public function assertRoots(string $what, bool $isNew, string $way): void
    {
        $weakness = $this->weakness($isNew);
        if ($weakness !== null) {
            throw new Failure("$what: other users than root may write in $weakness, and could have root write elsewhere: $way");
        }
    }
}
