<?php

declare(strict_types=1);

namespace Howdah\Tests;

use PHPUnit\Framework\AssertionFailedError;

/**
 * Something came later than the test bears: a machine that others share may be the cause. tests/run asks such a test again,
 * alone, up to three times; whatever else fails is wrong, and red at once. Only Clock throws it.
 */
final class Late extends AssertionFailedError
{
}
