<?php

declare(strict_types=1);

namespace Howdah\Fuzz;

use RuntimeException;

/** Howdah did what it must not. */
final class Fault extends RuntimeException
{
}
