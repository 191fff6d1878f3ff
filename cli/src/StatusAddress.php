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
        $text = $input->hasOption(self::OPTION) ? $input->getOption(self::OPTION) : null;
        if (!is_string($text)) {
            return null;
        }
        $given = '--' . self::OPTION . "=$text";
        if (str_starts_with($text, 'unix:')) {
            throw new Failure("$given is no port: give PORT or HOST:PORT, as in --status=9090");
        }
        $listen = Listen::parse($text, $given, '--status=127.0.0.1:9090');
        if ($listen->overlaps($served)) {
            throw new Failure("$given is where the application is served: name another port, as in --status=9090");
        }

        return new self($listen);
    }

    public function assertFree(): void
    {
        $this->listen->assertFree('--' . self::OPTION);
    }

    public function told(): string
    {
        return "figures and health are at {$this->listen->toUrl()}/metrics, /status and /health/ready";
    }

    /** @return list<string> of nginx's http block */
    public function lines(): array
    {
        $lines = ["listen {$this->listen->toNginx()};", 'access_log off;'];
        if ($this->listen->isLoopback()) {
            $names = NginxString::literal('^(' . implode('|', $this->listen->ownNames()) . ')?$');
            $lines[] = "if (\$host !~* $names) { return 403; }";
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
