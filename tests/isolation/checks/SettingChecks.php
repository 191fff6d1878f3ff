<?php

/**
 * Settings and the state of PHP's library: ini, time zone, encodings, random numbers, the garbage collector.
 */

declare(strict_types=1);

namespace Howdah\Tests\Isolation;

use Generator;
use Locale;

/**
 * @phpstan-import-type Check from Checks
 */
final class SettingChecks implements Checks
{
    /** Public: a framework that sets the default locale itself must choose the same. */
    public const LOCALES = ['nb_NO', 'en_GB', 'sw_KE', 'es_PE', 'ja_JP'];

    private const ZONES = ['Africa/Nairobi', 'America/Lima', 'Asia/Tokyo', 'Europe/Oslo', 'Pacific/Fiji', 'UTC'];

    public function __construct(private readonly Probe $probe)
    {
    }

    /**
     * @return array<string, Check>
     */
    public function checks(): array
    {
        $checks = [
            'ini' => $this->ini(),
            'time zone' => $this->timeZone(),
            'random' => $this->random(),
            'strtok' => $this->strtok(),
            'gc' => $this->gc(),
            'assert' => $this->assertOptions(),
        ];
        if (extension_loaded('mbstring')) {
            $checks['mbstring'] = $this->mbstring();
        }

        return $checks;
    }

    /** @return Check */
    private function ini(): Generator
    {
        $settings = [
            'precision' => (string) (5 + $this->probe->number('precision', 10)),
            'memory_limit' => (500 + $this->probe->number('memory', 500)) . 'M',
            'max_execution_time' => (string) (100 + $this->probe->number('time', 500)),
            'user_agent' => $this->probe->mark('agent'),
            'include_path' => '.:/' . $this->probe->mark('path'),
            'arg_separator.output' => $this->probe->choose('separator', ['&', ';', '|', '+']),
            'ignore_user_abort' => $this->probe->choose('abort', ['0', '1']),
            'intl.default_locale' => $this->probe->choose('locale', self::LOCALES),
        ];
        $before = [];
        foreach ($settings as $name => $value) {
            $before[$name] = ini_set($name, $value);
        }
        if ($before['intl.default_locale'] === false) {
            // Without ext/intl there is no such setting.
            unset($settings['intl.default_locale']);
        }
        yield static function () use ($settings): array {
            $pairs = [
                'precision in effect' => [sprintf('%.' . $settings['precision'] . 'G', 1 / 3), (string) (1 / 3)],
                'separator in effect' => ["a=1{$settings['arg_separator.output']}b=2", http_build_query(['a' => 1, 'b' => 2])],
                'include path in effect' => [$settings['include_path'], get_include_path()],
            ];
            if (isset($settings['intl.default_locale'])) {
                $pairs['locale in effect'] = [$settings['intl.default_locale'], Locale::getDefault()];
            }
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
    private function timeZone(): Generator
    {
        $before = date_default_timezone_get();
        $set = $this->probe->choose('zone', self::ZONES);
        $default = $this->probe->choose('default zone', self::ZONES);
        ini_set('date.timezone', $default);
        date_default_timezone_set($set);
        yield static fn (): array => [
            'ini' => [$default, ini_get('date.timezone')],
            'set' => [$set, date_default_timezone_get()],
            'in effect' => [$set, date('e')],
        ];
        ini_restore('date.timezone');
        date_default_timezone_set($before);
    }

    /** @return Check */
    private function random(): Generator
    {
        $seed = $this->probe->number('seed', 1 << 30);
        mt_srand($seed);
        $expected = [mt_rand(), rand(), mt_rand(), rand(), mt_rand(), rand()];
        mt_srand($seed);
        yield static function () use (&$expected): array {
            return [
                'mt_rand' => [array_shift($expected), mt_rand()],
                'rand' => [array_shift($expected), rand()],
            ];
        };
        mt_srand();
    }

    /** @return Check */
    private function strtok(): Generator
    {
        $expected = array_map(fn (int $i): string => $this->probe->mark("token{$i}"), range(0, 3));
        strtok(implode(' ', $expected), ' ');
        array_shift($expected);
        yield static function () use (&$expected): array {
            return ['token' => [array_shift($expected), strtok(' ')]];
        };
    }

    /** @return Check */
    private function gc(): Generator
    {
        $before = gc_enabled();
        $enabled = $this->probe->number('gc', 2) === 1;
        $enabled ? gc_enable() : gc_disable();
        yield static fn (): array => ['enabled' => [$enabled, gc_enabled()]];
        $before ? gc_enable() : gc_disable();
    }

    /** @return Check */
    private function assertOptions(): Generator
    {
        $settings = [
            'assert.warning' => $this->probe->choose('warning', ['0', '1']),
            'assert.exception' => $this->probe->choose('exception', ['0', '1']),
            'assert.callback' => $this->probe->mark('callback'),
        ];
        // PHP 8.3 deprecates these settings; what is tested, assert_globals, exists all the same.
        $before = array_map(static fn (string $name): string|false => ini_get($name), array_keys($settings));
        foreach ($settings as $name => $value) {
            Probe::quietly(static fn () => ini_set($name, $value));
        }
        yield static function () use ($settings): array {
            $callback = Probe::quietly(static fn () => assert_options(ASSERT_CALLBACK));
            $pairs = ['callback in effect' => [$settings['assert.callback'], $callback]];
            foreach ($settings as $name => $value) {
                $pairs[$name] = [$value, ini_get($name)];
            }

            return $pairs;
        };
        foreach (array_combine(array_keys($settings), $before) as $name => $value) {
            Probe::quietly(static fn () => ini_set($name, (string) $value));
        }
    }

    /** @return Check */
    private function mbstring(): Generator
    {
        $before = [mb_internal_encoding(), mb_substitute_character(), implode(',', mb_detect_order()), (string) mb_language()];
        // All of them read ASCII as ASCII: a framework's own checks run meanwhile.
        $encoding = $this->probe->choose('encoding', ['UTF-8', 'ISO-8859-1', 'EUC-JP', 'Windows-1252']);
        $character = 0x21 + $this->probe->number('character', 90);
        $order = $this->probe->choose('order', [['ASCII', 'UTF-8'], ['UTF-8', 'SJIS'], ['EUC-JP', 'ASCII']]);
        $language = $this->probe->choose('language', ['English', 'Japanese', 'German', 'neutral']);
        mb_internal_encoding($encoding);
        mb_substitute_character($character);
        mb_detect_order($order);
        mb_language($language);
        yield static fn (): array => [
            'internal encoding' => [$encoding, mb_internal_encoding()],
            'in effect' => [mb_strlen("\xe3\x81\x82\xe3", $encoding), mb_strlen("\xe3\x81\x82\xe3")],
            'substitute character' => [$character, mb_substitute_character()],
            'detect order' => [$order, mb_detect_order()],
            'language' => [$language, mb_language()],
        ];
        mb_language($before[3]);
        mb_internal_encoding($before[0]);
        mb_substitute_character($before[1]);
        mb_detect_order($before[2] ?: null);
    }
}
