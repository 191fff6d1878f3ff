<?php

declare(strict_types=1);

namespace Howdah\Tests\Phpt;

use RuntimeException;

/** The run cannot go on; the message is for whoever started it. */
final class Failure extends RuntimeException
{
}
