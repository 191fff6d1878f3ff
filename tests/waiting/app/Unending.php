<?php

declare(strict_types=1);

namespace Howdah\WaitingTests\App;

/** A row that its library does not let end in the middle, by exit under php-cli either; the row's comment says why. */
interface Unending extends Row
{
}
