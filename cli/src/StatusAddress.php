<?php

declare(strict_types=1);

namespace Howdah\Cli;

use Symfony\Component\Console\Command\Command;
use Symfony\Component\Console\Input\InputInterface;
use Symfony\Component\Console\Input\InputOption;

/**
 * A port of its own for who operates the server: figures for Prometheus, and checks for load balancers and probes.
 *
 * No address of the application's is taken for it, and no proxy that leads visitors to the application leads them there. On a
 * loopback address only names of this machine lead there, or none (HTTP/1.0): a page of somebody else's may have one that does
 * (DNS rebinding).
 */
final readonly class StatusAddress
{
    private const OPTION = 'status';

    private const SYNTAX = 'give PORT or HOST:PORT, as in --status=9090';

    /** Paths, and what answers there. */
    private const LOCATIONS = [
        '/health/' => 'howdah_health;',
        '= /metrics' => 'howdah_status prometheus;',
        '= /status' => 'howdah_status json;',
        '/' => 'return 404;',
    ];

    private function __construct(private Listen $listen)
    {
    }

    public static function define(Command $command): void
    {
        $command->addOption(self::OPTION, null, InputOption::VALUE_REQUIRED, 'A port of its own, as 9090 (this machine alone)'
            . ' or 10.0.0.5:9090: /metrics for Prometheus, /status as JSON, /health/live, /health/started and /health/ready');
    }

    /** Null: there is none. */
    public static function fromInput(InputInterface $input, Listen $served): ?self
    {
        $listen = self::named($input);
        if ($listen?->overlaps($served) === true) {
            throw new Failure(self::given($input) . ' is where the application is served: name another port, as in'
                . ' --status=9090');
        }

        return $listen === null ? null : new self($listen);
    }

    /** Null: there is none. */
    public static function named(InputInterface $input): ?Listen
    {
        $text = self::text($input);
        if ($text === null) {
            return null;
        }
        $given = self::given($input);
        if (str_starts_with($text, 'unix:')) {
            throw new Failure("$given is no port: " . self::SYNTAX);
        }

        return Listen::parse($text, $given, self::SYNTAX);
    }

    private static function text(InputInterface $input): ?string
    {
        $text = $input->hasOption(self::OPTION) ? $input->getOption(self::OPTION) : null;

        return is_string($text) ? $text : null;
    }

    private static function given(InputInterface $input): string
    {
        return '--' . self::OPTION . '=' . self::text($input);
    }

    public function assertFree(): void
    {
        $this->listen->assertFree('--' . self::OPTION);
    }

    public function told(): string
    {
        return "figures and health are at {$this->listen->toUrl()}/metrics, /status and /health/ready";
    }

    /** What its user should know; null: nothing. */
    public function warning(): ?string
    {
        return $this->listen->isLoopback()
            ? null
            : "--status={$this->listen->toNginx()}: figures are open to everybody who can reach that port: let a firewall keep"
                . ' others away, or name an address that only you reach, as in --status=10.0.0.5:9090 or --status=9090';
    }

    /** @return list<string> of nginx's http block */
    public function lines(): array
    {
        $lines = ["listen {$this->listen->toNginx()};", 'access_log off;'];
        if ($this->listen->isLoopback()) {
            $names = NginxString::literal('^(' . implode('|', $this->listen->ownNames()) . ')?$');
            $lines[] = "if (\$host !~* $names) { return 403; }";
        } else {
            // It is meant, and warned of in our own words.
            $lines[] = 'allow all;';
        }
        foreach (self::LOCATIONS as $path => $answer) {
            $lines[] = "location $path { $answer }";
        }

        return [
            '# For who operates it.',
            'server {',
            ...array_map(static fn (string $line): string => "    $line", $lines),
            '}',
            '',
        ];
    }
}
