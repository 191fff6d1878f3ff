<?php

declare(strict_types=1);

namespace Howdah\Laravel;

use RuntimeException;

/** What the user can put right: the message names the thing, the cause and the way out. */
final class HowdahFailure extends RuntimeException
{
}
