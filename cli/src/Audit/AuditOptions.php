<?php

declare(strict_types=1);

namespace Howdah\Cli\Audit;

use Howdah\Cli\Failure;
use Howdah\Cli\Listen;
use Howdah\Cli\ServeOptions;
use Symfony\Component\Console\Command\Command;
use Symfony\Component\Console\Input\InputArgument;
use Symfony\Component\Console\Input\InputInterface;
use Symfony\Component\Console\Input\InputOption;

/** What `audit` is told on the command line, checked. */
final readonly class AuditOptions
{
    /**
     * @param ServeOptions $serve    of the server that is audited, on a free port
     * @param string|null  $requests file; null: crawl
     * @param int          $seed     of the chaos scheduler; 0: off
     * @param string|null  $log      file to keep the log in
     * @param bool         $rewind   whether requests are rewound, and what stands in the way is told
     */
    private function __construct(
        public ServeOptions $serve,
        public ?string $requests,
        public int $clients,
        public int $rounds,
        public int $pagesMax,
        public int $seconds,
        public int $seed,
        public ?string $host,
        public ?string $log,
        public bool $json,
        public bool $rewind,
    ) {
    }

    public static function define(Command $command): void
    {
        $value = InputOption::VALUE_REQUIRED;
        $command
            ->addArgument('path', InputArgument::OPTIONAL, "The project's folder", '.')
            ->addOption('requests', null, $value, 'A file of requests (see below)')
            ->addOption('crawl', null, InputOption::VALUE_NONE, 'Follow links from / on (what is done without --requests)')
            ->addOption('clients', null, $value, 'Clients that ask at once, 1 to 1000', '8')
            ->addOption('rounds', null, $value, 'How often each client asks for each page, 1 to 100000', '2')
            ->addOption('max-pages', null, $value, 'Pages to look for, 1 to 100000', '100')
            ->addOption('time', null, $value, 'Seconds to ask for, 1 to 86400', '60')
            ->addOption('seed', null, $value, 'Of the chaos scheduler; 0: off (default: a random one)')
            ->addOption('host', null, $value, 'The host that requests name (default: the address)')
            ->addOption('log', null, $value, 'A file to keep the log of nginx and PHP in')
            ->addOption('rewind', null, InputOption::VALUE_NONE, 'Worker mode: serve it with rewind; does that work?')
            ->addOption('json', null, InputOption::VALUE_NONE, 'Print JSON instead of a table')
            ->addOption('workers', null, $value, 'nginx workers, 1 to 1024', '1');
        ServeOptions::defineApplication($command);
    }

    public static function fromInput(InputInterface $input): self
    {
        $text = static function (string $name) use ($input): ?string {
            $value = $input->getOption($name);

            return is_string($value) ? $value : null;
        };
        $number = static fn (string $name, int $most): int => ServeOptions::number($name, $text($name) ?? '', 1, $most);
        if ($text('requests') !== null && $input->getOption('crawl') === true) {
            throw new Failure('--requests and --crawl are two ways to ask: give one of them');
        }
        $host = $text('host');
        if ($host !== null && preg_match('/^[A-Za-z0-9_.-]+(:\d{1,5})?$/D', $host) !== 1) {
            throw new Failure("--host=$host is no host: give a name, as in --host=shop.example");
        }

        return new self(
            ServeOptions::fromInput($input, Listen::anyPort()),
            $text('requests'),
            $number('clients', 1000),
            $number('rounds', 100_000),
            $number('max-pages', 100_000),
            $number('time', 86400),
            $text('seed') === null
                ? random_int(1, 999_999_999)
                : ServeOptions::number('seed', $text('seed'), 0, 999_999_999),
            $host,
            $text('log'),
            $input->getOption('json') === true,
            $input->getOption('rewind') === true,
        );
    }
}
