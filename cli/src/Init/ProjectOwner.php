<?php

declare(strict_types=1);

namespace Howdah\Cli\Init;

use Howdah\Cli\Failure;

/**
 * Whose a project is. What root does in somebody's project is done as that user: the files are theirs, and a link that they
 * have put there leads root nowhere.
 */
final readonly class ProjectOwner
{
    private int $user;
    private int $group;

    public function __construct(private string $folder)
    {
        $this->user = (int) fileowner($folder);
        $this->group = (int) filegroup($folder);
    }

    /**
     * @template T
     *
     * @param  callable(): T $act calls functions of PHP's: a class that is not loaded may be where this user cannot read
     * @return T
     */
    public function do(callable $act): mixed
    {
        if (posix_geteuid() !== 0 || $this->user === 0) {
            return $act();
        }
        // Made while this is still root: whoever owns the project may be unable to read this class.
        $refusal = new Failure("cannot write as the owner of {$this->folder}: start this as that user");
        $end = new Failure("cannot be root again after writing as the owner of {$this->folder}: start this once more");
        // Who has no name has no more groups than this one; root's are given up all the same.
        $name = posix_getpwuid($this->user)['name'] ?? "#{$this->user}";
        try {
            if (!(posix_initgroups($name, $this->group) && posix_setegid($this->group) && posix_seteuid($this->user))) {
                throw $refusal;
            }

            return $act();
        } finally {
            if (!(posix_seteuid(0) && posix_setegid(0) && posix_initgroups('root', 0))) {
                throw $end;
            }
        }
    }
}
