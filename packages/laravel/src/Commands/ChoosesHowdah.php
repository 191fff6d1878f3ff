<?php

declare(strict_types=1);

namespace Howdah\Laravel\Commands;

/** For commands of Octane with a --server option. */
trait ChoosesHowdah
{
    private function isHowdah(): bool
    {
        return ($this->option('server') ?: config('octane.server')) === 'howdah';
    }
}
