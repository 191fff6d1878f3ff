<?php

declare(strict_types=1);

namespace Howdah\Tests\Differential;

use Howdah\Tests\Phpt\Reasons;

/**
 * The differences that are known, one a line: mode/case/part, reason. It may only shrink. A reason that begins with "8.2:"
 * holds for that series of PHP alone, and the nginx of its release; "8.4+:" for later ones, too, "8.4-:" for earlier ones.
 */
final readonly class Accepted
{
    /** @var array<string, string> reasons by mode/case/part */
    public array $reasons;

    public function __construct(string $file)
    {
        $holds = static fn (string $reason): bool => preg_match('/^(\d+\.\d+)([+-]?):/', $reason, $series) !== 1
            || version_compare(PHP_MAJOR_VERSION . '.' . PHP_MINOR_VERSION, $series[1], match ($series[2]) {
                '+' => '>=',
                '-' => '<=',
                default => '==',
            });
        $this->reasons = array_filter(Reasons::of($file), $holds);
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
