<?php

declare(strict_types=1);

namespace Howdah\Bench\Suite;

use Closure;
use Howdah\Bench\Data\Store;
use Howdah\Bench\Report\Result;

/** A suite that needs a server of data, a new one each time that it runs. */
final readonly class OnStore implements Suite
{
    /** @param Closure(): Suite $suite is called when the store answers */
    public function __construct(
        private string $name,
        private string $title,
        private Store $store,
        private Closure $suite,
    ) {
    }

    public function name(): string
    {
        return $this->name;
    }

    public function title(): string
    {
        return $this->title;
    }

    public function run(Run $run): Result
    {
        try {
            $this->store->start();

            return ($this->suite)()->run($run);
        } finally {
            $this->store->stop();
        }
    }
}
