<?php

declare(strict_types=1);

namespace Howdah\Cli\Control;

enum HangupMeaning
{
    case Reload;
    case Stop;
    case Nothing;
}
