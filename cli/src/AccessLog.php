<?php

declare(strict_types=1);

namespace Howdah\Cli;

/**
 * What nginx's http block says of the access log. nginx writes it alone: no process of ours is in the way of a request.
 *
 * nginx escapes the values of variables, also against a client that sends control characters to a terminal; what is to be
 * read by a terminal is therefore in the formats, one for each class of status.
 */
final readonly class AccessLog
{
    private const FILE = '/dev/stdout';

    private const COMBINED = '$remote_addr - $remote_user [$time_local] "$request" $status $body_bytes_sent "$http_referer" '
        . '"$http_user_agent" $request_time';

    private const PRETTY = '$howdah_log_clock %s$status%s $request_method $request_uri ${request_time}s'
        . '$howdah_log_wait$howdah_log_memory $remote_addr';

    /** Names and values. Those that nginx does not know for each request are null. */
    private const JSON = [
        'time' => '"$time_iso8601"',
        'request_id' => '"$request_id"',
        'client' => '"$remote_addr"',
        'method' => '"$request_method"',
        'host' => '"$host"',
        'uri' => '"$request_uri"',
        'protocol' => '"$server_protocol"',
        'status' => '$howdah_log_status',
        'bytes' => '$body_bytes_sent',
        'seconds' => '$request_time',
        'wait_ms' => '$howdah_log_wait_ms',
        'cpu_ms' => '$howdah_log_cpu_ms',
        'memory' => '$howdah_log_memory',
        'realm' => '$howdah_log_realm',
        'referer' => '"$http_referer"',
        'user_agent' => '"$http_user_agent"',
    ];

    /** Green, cyan, yellow, red: the first digit of a status, and how a terminal is told. */
    private const COLOURS = ['2' => '32', '3' => '36', '4' => '33', '5' => '31'];

    /** @param LogStyle|null $style null: requests are not logged */
    public function __construct(private ?LogStyle $style, private bool $colour = false)
    {
    }

    /** @return list<string> */
    public function lines(): array
    {
        return match ($this->style) {
            null => ['access_log off;'],
            LogStyle::Combined => ["log_format howdah '" . self::COMBINED . "';", 'access_log ' . self::FILE . ' howdah;'],
            LogStyle::Json => $this->json(),
            LogStyle::Pretty => [...$this->values(), ...($this->colour ? $this->coloured() : $this->plain())],
        };
    }

    /** @return list<string> */
    private function json(): array
    {
        $members = [];
        foreach (self::JSON as $name => $value) {
            $members[] = "\"$name\":$value";
        }

        return [
            '# nginx writes 000 for a request without an answer, which is no number in JSON.',
            'map $status $howdah_log_status { "~^0" 0; default $status; }',
            ...array_map(
                static fn (string $name): string =>
                    "map \$howdah_$name \$howdah_log_$name { \"\" null; default \$howdah_$name; }",
                ['wait_ms', 'cpu_ms', 'memory', 'realm'],
            ),
            "log_format howdah escape=json '{" . implode(',', $members) . "}';",
            'access_log ' . self::FILE . ' howdah;',
        ];
    }

    /** @return list<string> */
    private function values(): array
    {
        return [
            'map $time_iso8601 $howdah_log_clock { "~T(?<howdah_clock>[0-9:]+)" $howdah_clock; default "-"; }',
            'map $howdah_wait_ms $howdah_log_wait { "" ""; default ", ${howdah_wait_ms} ms of it waiting"; }',
            'map $howdah_memory $howdah_log_memory { "~^(?<howdah_mb>[0-9]+)[0-9]{6}$" ", $howdah_mb MB"; default ""; }',
        ];
    }

    /** @return list<string> */
    private function plain(): array
    {
        return ["log_format howdah '" . sprintf(self::PRETTY, '', '') . "';", 'access_log ' . self::FILE . ' howdah;'];
    }

    /** @return list<string> */
    private function coloured(): array
    {
        $others = '"~^[' . implode('', array_keys(self::COLOURS)) . ']" 0; default 1;';
        $lines = [
            "log_format howdah '" . sprintf(self::PRETTY, '', '') . "';",
            "map \$status \$howdah_log_other { $others }",
            'access_log ' . self::FILE . ' howdah if=$howdah_log_other;',
        ];
        foreach (self::COLOURS as $digit => $code) {
            $lines[] = "log_format howdah_$digit '" . sprintf(self::PRETTY, "\e[{$code}m", "\e[0m") . "';";
            $lines[] = "map \$status \$howdah_log_$digit { \"~^$digit\" 1; default 0; }";
            $lines[] = 'access_log ' . self::FILE . " howdah_$digit if=\$howdah_log_$digit;";
        }

        return $lines;
    }
}
