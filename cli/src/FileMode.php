<?php

declare(strict_types=1);

namespace Howdah\Cli;

/** What a file's mode says (inode(7)). */
final readonly class FileMode
{
    private const TYPE = 0o170000;
    private const PIPE = 0o010000;
    private const CHARACTER_DEVICE = 0o020000;
    private const FOLDER = 0o040000;
    private const REGULAR = 0o100000;

    private const STICKY = 0o1000;
    private const BY_GROUP = 0o020;
    private const BY_OTHERS = 0o002;

    public function __construct(private int $mode)
    {
    }

    public function isFolder(): bool
    {
        return ($this->mode & self::TYPE) === self::FOLDER;
    }

    /** A file with contents of its own: none that others fill, or that waits for them. */
    public function isRegular(): bool
    {
        return ($this->mode & self::TYPE) === self::REGULAR;
    }

    /** A terminal, a pipe: what is written there is read as it comes. */
    public function isStream(): bool
    {
        return in_array($this->mode & self::TYPE, [self::CHARACTER_DEVICE, self::PIPE], true);
    }

    /** In such a folder who may write may add entries, not take others' away. */
    public function isSticky(): bool
    {
        return ($this->mode & self::STICKY) !== 0;
    }

    /** @param bool $countsGroup whether somebody else is in its group */
    public function isWritableByOthers(bool $countsGroup = true): bool
    {
        return ($this->mode & (self::BY_OTHERS | ($countsGroup ? self::BY_GROUP : 0))) !== 0;
    }
}
