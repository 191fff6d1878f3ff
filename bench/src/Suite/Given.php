<?php

declare(strict_types=1);

namespace Howdah\Bench\Suite;

use Closure;
use Howdah\Bench\Machine\Allotments;
use Howdah\Bench\Report\Result;
use Howdah\Bench\Server\Running;

/** Another suite in published conditions: what each server is given, and settings of PHP that are asked for before it begins. */
final readonly class Given implements Suite
{
    /**
     * @param string              $processors of each server
     * @param string              $memory     of each server with all its processes, as 1G
     * @param Closure(): Settings $settings
     */
    public function __construct(
        private Suite $suite,
        private string $processors,
        private string $memory,
        private Closure $settings,
    ) {
    }

    public function name(): string
    {
        return $this->suite->name();
    }

    public function title(): string
    {
        return $this->suite->title();
    }

    public function run(Run $run): Result
    {
        $allotments = Allotments::of($this->processors, $this->memory);
        $before = Running::give($allotments);
        try {
            $told = ($this->settings)()->ask($run->tell(...));
            $result = $this->suite->run($run);
        } finally {
            Running::give($before);
            $allotments->end();
        }
        $notes = array_map(static fn (string $what, string $how): string => "$what: $how.", array_keys($told), $told);

        return $result->noting(["Each server is given {$allotments->describe()}.", ...$notes]);
    }
}
