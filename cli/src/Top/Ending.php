<?php

declare(strict_types=1);

namespace Howdah\Cli\Top;

/** What has become of an order to end a request. The first three are the worker's words (nginx/top.h). */
enum Ending: int
{
    case Told = 1;
    case Already = 2;
    case Gone = 3;

    /** The worker has not heard of it yet. */
    case Unheard = 4;

    /** It was not given: the worker has too many that it has not heard of. */
    case Refused = 5;

    public function isSuccess(): bool
    {
        return $this === self::Told || $this === self::Already;
    }

    /** @param string $name the request's */
    public function say(string $name): string
    {
        $worker = explode('-', $name)[0];

        return match ($this) {
            self::Told => "request $name is ended",
            self::Already => "request $name ends already: it was told to before, or its script is over",
            self::Gone => "request $name is not there: it has ended; nothing else was ended in its place",
            self::Unheard => "request $name cannot be ended yet: worker $worker does not answer, because C code holds it, or"
                . " it is stopped. The request is ended when that call returns; before that only `kill -9 $worker` ends it,"
                . ' and all other requests of that worker with it',
            self::Refused => "request $name cannot be ended: worker $worker has not heard of those that were to end before it."
                . " Only `kill -9 $worker` ends it, and all other requests of that worker with it",
        };
    }
}
