<?php

declare(strict_types=1);

namespace Howdah\Bench\Machine;

use RuntimeException;

/** Something that is not on this machine and that no figure can be made without: the suite is skipped, by name and reason. */
final class Missing extends RuntimeException
{
}
