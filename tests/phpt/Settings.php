<?php

declare(strict_types=1);

namespace Howdah\Tests\Phpt;

/** PHP settings as run-tests.php hands them to php -d (settings2array(), settings2params(), and `-d` of php-cli). */
final class Settings
{
    /**
     * @param list<string> $lines "name=value"
     *
     * @return array<string, string>
     */
    public static function of(array $lines): array
    {
        $settings = [];
        foreach ($lines as $line) {
            [$name, $value] = [...array_map(trim(...), explode('=', $line, 2)), null];
            // Extensions are loaded when PHP starts or not at all: EXTENSIONS and SKIPIF tell.
            if ($value !== null && !in_array($name, ['extension', 'zend_extension'], true)) {
                $settings[(string) $name] = $value;
            }
        }

        return $settings;
    }

    /** What php.ini would have: -d puts a value in quotes unless it begins with a letter, a digit or a quote. */
    public static function line(string $name, string $value): string
    {
        $value = str_replace("'", "\\'", $value); // addslashes(), of which the shell keeps this one

        return $value === '' || ctype_alnum($value[0]) || $value[0] === '"' ? "$name=$value" : "$name=\"$value\"";
    }

    /**
     * The settings that run-tests.php gives to every test: its $ini_overwrites.
     *
     * @return array<string, string>
     */
    public static function ofRunTests(string $file): array
    {
        $code = (string) file_get_contents($file);
        if (preg_match('/\$ini_overwrites\s*=\s*(\[[^\]]*\]);/', $code, $found) !== 1) {
            throw new Failure("$file: no \$ini_overwrites: this version of run-tests.php is not known");
        }
        $lines = [];
        foreach (explode("\n", $found[1]) as $line) {
            if (preg_match("/^\\s*'([^']*)'(?:\\s*\\.\\s*(E_ALL))?,/", $line, $entry) === 1) {
                $lines[] = $entry[1] . (isset($entry[2]) ? (string) E_ALL : '');
            }
        }
        if ($lines === [] || count($lines) !== substr_count($found[1], '=') - substr_count($found[1], '=>')) {
            throw new Failure("$file: \$ini_overwrites has another form than the one that is known");
        }

        return self::of($lines);
    }
}
