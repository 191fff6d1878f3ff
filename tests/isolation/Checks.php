<?php

declare(strict_types=1);

namespace Howdah\Tests\Isolation;

use Closure;
use Generator;

/**
 * A kind of state. A check sets its state, yields a look, and puts the state back when it goes on. It may yield a second look,
 * for what shows only while it puts things back.
 *
 * A check is looked at up to three times. In tests/property checks begin and end in any order, one check of a name at a time.
 *
 * @phpstan-type Look Closure(): array<string, array{mixed, mixed}>
 * @phpstan-type Check Generator<int, Look, mixed, void>
 */
interface Checks
{
    public function __construct(Probe $probe);

    /**
     * Those that this PHP has the extensions for.
     *
     * @return array<string, Check>
     */
    public function checks(): array;
}
