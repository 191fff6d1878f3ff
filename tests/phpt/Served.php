<?php

declare(strict_types=1);

namespace Howdah\Tests\Phpt;

/** What nginx serves, with php-fpm or with Howdah. */
interface Served
{
    /** The folder that the servers run in. */
    public function root(): string;

    /**
     * Server blocks.
     *
     * @param callable(bool): string $pass  the directives of a location; whether it has PHP settings of its own
     * @param string                 $param the directive that adds a variable
     */
    public function configuration(int $port, callable $pass, string $param): string;
}
