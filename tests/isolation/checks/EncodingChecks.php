<?php

/**
 * Settings beyond those of SettingChecks: encodings, where classes are looked for, what text and errors look like.
 */

declare(strict_types=1);

namespace Howdah\Tests\Isolation;

use Generator;

/**
 * @phpstan-import-type Check from Checks
 */
final class EncodingChecks implements Checks
{
    public function __construct(private readonly Probe $probe)
    {
    }

    public function checks(): array
    {
        return [
            'spl_autoload_extensions' => $this->autoloadExtensions(),
            'text settings' => $this->text(),
        ]
            + (extension_loaded('mbstring') ? ['mb_http_output' => $this->output()] : []);
    }

    /** @return Check */
    private function autoloadExtensions(): Generator
    {
        $before = spl_autoload_extensions();
        $mark = ".{$this->probe->id},.inc";
        spl_autoload_extensions($mark);
        yield static fn (): array => ['extensions' => [$mark, spl_autoload_extensions()]];
        spl_autoload_extensions($before);
    }

    /** @return Check */
    private function text(): Generator
    {
        $settings = [
            'default_mimetype' => $this->probe->choose('type', ['text/html', 'text/plain']),
            'serialize_precision' => (string) (5 + $this->probe->number('digits', 10)),
            'error_prepend_string' => $this->probe->mark('prepend'),
            'error_append_string' => $this->probe->mark('append'),
            'arg_separator.input' => $this->probe->choose('input', ['&', ';', '|']),
            'unserialize_max_depth' => (string) (10 + $this->probe->number('depth', 4000)),
            'zend.assertions' => $this->probe->choose('assertions', ['0', '1']),
            'html_errors' => $this->probe->choose('html', ['0', '1']),
        ];
        $before = [];
        foreach ($settings as $name => $value) {
            $before[$name] = Probe::quietly(static fn () => ini_set($name, $value));
        }
        // Code that was compiled with assertions off has none.
        $settings = array_filter($settings, static fn (string $name): bool => $before[$name] !== false, ARRAY_FILTER_USE_KEY);
        $precision = (int) ($settings['serialize_precision'] ?? 17);
        yield static function () use ($settings, $precision): array {
            $pairs = [
                'precision in effect' => [rtrim(sprintf("%.{$precision}f", 1 / 3), "\n"), json_encode(1 / 3)],
            ];
            foreach ($settings as $name => $value) {
                $pairs[$name] = [$value, ini_get($name)];
            }

            return $pairs;
        };
        foreach (array_filter($before, is_string(...)) as $name => $value) {
            ini_set($name, $value);
        }
    }

    /** @return Check */
    private function output(): Generator
    {
        $before = mb_http_output();
        $encoding = $this->probe->choose('http output', ['UTF-8', 'SJIS', 'EUC-JP', 'ISO-8859-1']);
        mb_http_output($encoding);
        yield static fn (): array => [
            'encoding' => [$encoding, mb_http_output()],
            'aliases' => [mb_preferred_mime_name($encoding), mb_preferred_mime_name((string) mb_http_output())],
        ];
        mb_http_output($before);
    }
}
