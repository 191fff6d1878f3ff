<?php

declare(strict_types=1);

namespace Howdah\Psr15;

use InvalidArgumentException;

/** The client's fault: a Host or a header that PSR-7 does not allow. The Runner answers 400. */
final class MalformedRequest extends InvalidArgumentException
{
}
