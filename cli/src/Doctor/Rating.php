<?php

declare(strict_types=1);

namespace Howdah\Cli\Doctor;

enum Rating: string
{
    case Ok = 'ok';

    /** Worth knowing; it serves all the same. */
    case Note = 'note';

    /** `howdah serve` refuses, or requests fail. */
    case Problem = 'problem';
}
