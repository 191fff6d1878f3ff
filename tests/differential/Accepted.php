<?php

declare(strict_types=1);

namespace Howdah\Tests\Differential;

use Howdah\Tests\Phpt\Reasons;

/** The differences that are known, one a line: mode/case/part, reason. It may only shrink. */
final readonly class Accepted
{
    /** @var array<string, string> reasons by mode/case/part */
    public array $reasons;

    public function __construct(string $file)
    {
        $this->reasons = Reasons::of($file);
    }

    /** @return array<string, string> reasons by part */
    public function of(string $mode, string $case): array
    {
        $reasons = [];
        foreach ($this->reasons as $key => $reason) {
            [$itsMode, $itsCase, $part] = [...explode('/', $key, 3), '', ''];
            if ($itsMode === $mode && $itsCase === $case) {
                $reasons[$part] = $reason;
            }
        }

        return $reasons;
    }
}
