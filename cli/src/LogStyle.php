<?php

declare(strict_types=1);

namespace Howdah\Cli;

/** How requests are logged. */
enum LogStyle: string
{
    /** As most web servers, and the time that it took: for programs that read such logs. */
    case Combined = 'combined';

    /** A short line for people, in colour where that is wished. */
    case Pretty = 'pretty';

    /** One JSON object a line. */
    case Json = 'json';
}
