<?php

declare(strict_types=1);

namespace Howdah\Bench\Load;

use RuntimeException;

/** Somebody answered something else than what was asked for: there is no speed to speak of. */
final class WrongAnswer extends RuntimeException
{
}
