<?php

declare(strict_types=1);

namespace Howdah\Cli;

/** How PHP runs a request. */
enum Mode: string
{
    /** Every request starts from nothing, as under php-fpm. */
    case Classic = 'classic';

    /** A script boots once in each realm and then takes one request after another. */
    case Worker = 'worker';
}
