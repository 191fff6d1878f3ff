<?php

declare(strict_types=1);

namespace Howdah\Cli;

use RuntimeException;

/**
 * Something that the user can put right. The message is one sentence that names the thing, the cause and the way out;
 * the console prints it as it is, without a trace.
 */
final class Failure extends RuntimeException
{
}
