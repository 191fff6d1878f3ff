<?php

declare(strict_types=1);

namespace Howdah\Tests\Phpt;

/** A list of what is known to differ: a name without blanks and the reason, one a line. */
final class Reasons
{
    /** @return array<string, string> reasons by name; none without a file */
    public static function of(string $file): array
    {
        $reasons = [];
        foreach (is_file($file) ? file($file, FILE_IGNORE_NEW_LINES) ?: [] : [] as $number => $line) {
            if (trim($line) === '' || $line[0] === '#') {
                continue;
            }
            [$name, $reason] = [...preg_split('/\s+/', trim($line), 2) ?: [], ''];
            if ($reason === '' || isset($reasons[$name])) {
                throw new Failure("$file, line " . ($number + 1) . ': a name, once, and a reason, not "' . $line . '"');
            }
            $reasons[$name] = $reason;
        }

        return $reasons;
    }
}
