<?php

declare(strict_types=1);

namespace Howdah\Cli;

/** An application as it will be served: found by ProjectFinder. All paths are absolute and without symbolic links at their end. */
final readonly class Project
{
    /**
     * @param string      $root    the folder that was given
     * @param string      $docroot static files below it are served as they are
     * @param string|null $script  worker mode: the worker script; classic mode: the front controller, which takes whatever
     *                             is no file (null: there is none, and such a request gets 404)
     * @param string      $reason  why this mode and script, to tell the user
     * @param list<string> $boot   worker mode: files that boot, the script among them, whether or not they are there
     * @param array<string, string> $environment that the script expects, beside what the command has
     * @param string|null           $instead     worker mode: the front controller that serves where the script does not boot
     */
    public function __construct(
        public string $root,
        public string $docroot,
        public Mode $mode,
        public ?string $script,
        public string $reason,
        public array $boot = [],
        public array $environment = [],
        public ?string $instead = null,
    ) {
    }

    /** The same in classic mode, where that is possible. */
    public function inClassicMode(string $reason): ?self
    {
        return $this->instead === null
            ? null
            : new self($this->root, $this->docroot, Mode::Classic, $this->instead, $reason);
    }
}
