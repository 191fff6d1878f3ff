<?php

declare(strict_types=1);

namespace Howdah\ApplicationTests;

/** An application as Debian installs it: where it is, how it is configured for a stack, what of its pages changes by itself. */
interface Application
{
    /** The name of its server. */
    public function host(): string;

    /** Files and databases of its own, below the stack's folder. */
    public function prepare(Stack $stack): void;

    /** nginx's directives inside its server block. */
    public function server(Stack $stack): string;

    /** @return array<non-empty-string, string> patterns of what changes by itself (nonces, times), and what is compared instead */
    public function changing(): array;
}
