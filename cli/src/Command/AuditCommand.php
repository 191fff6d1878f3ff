<?php

declare(strict_types=1);

namespace Howdah\Cli\Command;

use Closure;
use Howdah\Cli\Audit\AuditOptions;
use Howdah\Cli\Audit\AuditSheet;
use Howdah\Cli\Audit\Auditor;
use Howdah\Cli\Audit\Tally;
use Howdah\Cli\Failure;
use Howdah\Cli\Installation;
use Howdah\Cli\Sheet;
use Symfony\Component\Console\Attribute\AsCommand;
use Symfony\Component\Console\Command\Command;
use Symfony\Component\Console\Exception\ExceptionInterface;
use Symfony\Component\Console\Exception\InvalidArgumentException;
use Symfony\Component\Console\Formatter\OutputFormatter;
use Symfony\Component\Console\Input\InputInterface;
use Symfony\Component\Console\Output\ConsoleOutputInterface;
use Symfony\Component\Console\Output\OutputInterface;

#[AsCommand('audit', 'Prove that the requests of an application share no memory by accident')]
final class AuditCommand extends Command
{
    private const HELP = <<<'TEXT'
        Serves the application with its own extensions and settings, asks it for pages with several clients at once, and
        compares the memory of PHP, its extensions and their libraries while requests run. A word of it that changed and that
        is neither private to a realm nor known to be shared on purpose is <comment>unexplained</comment>: requests in flight
        may see each other's value.

          <info>howdah audit /srv/shop</info>                                follow the links from / on
          <info>howdah audit /srv/shop --requests=requests.txt</info>        what visitors do: log in, buy, look
          <info>howdah audit /srv/shop --mode=classic --json</info>
          <info>howdah audit /srv/shop --rewind</info>                       can it be rewound, and what stands in the way?

        Requests are real: give it a database to play with. Crawling sends GET alone. A file of requests has one a line:
          <info>GET /shop?page=2</info>
          <info>POST /login name=guest&password=guest</info>
          <info>PUT /api/cart/1 {"amount": 2}</info>
          <info>  Authorization: Bearer abc</info>                           an indented line is a header of the one above
          <info>POST /upload @photo.jpg</info>                               a body from a file
        Each client sends all of them, in this order and with cookies of its own, --rounds times.

        Realms switch where they need not, as a seed says, so that requests overlap everywhere: --seed=N repeats a run, as far
        as clients come in the same order; --seed=0 leaves it to the application's own waits.

        <comment>Exit status</comment>
        0 when nothing is unexplained, 1 when something is, a worker crashed, or --rewind was asked for and is not possible,
        2 when it could not be found out: the server did not start, or no page was answered.
        TEXT;

    private const COULD_NOT_TELL = 2;

    public function __construct(private readonly Installation $installation)
    {
        parent::__construct();
    }

    protected function configure(): void
    {
        AuditOptions::define($this);
        $this->setHelp(self::HELP);
    }

    /** A mistake on the command line says nothing of the application. */
    public function run(InputInterface $input, OutputInterface $output): int
    {
        try {
            return parent::run($input, $output);
        } catch (ExceptionInterface $exception) {
            throw new InvalidArgumentException($exception->getMessage(), self::COULD_NOT_TELL, $exception);
        }
    }

    protected function execute(InputInterface $input, OutputInterface $output): int
    {
        $notes = $output instanceof ConsoleOutputInterface ? $output->getErrorOutput() : $output;
        $tell = static fn (string $line) => $notes->writeln('howdah: ' . OutputFormatter::escape($line));
        try {
            $options = AuditOptions::fromInput($input);
            $audit = (new Auditor($this->installation, $options, $tell))->run($this->progress($notes));
        } catch (Failure $failure) {
            throw new Failure($failure->getMessage(), self::COULD_NOT_TELL, $failure);
        }
        if ($notes->isDecorated()) {
            $notes->write("\r\e[K", false, OutputInterface::OUTPUT_RAW);
        }
        $sheet = new Sheet($output);
        if ($options->json) {
            $sheet->json($audit->jsonSerialize());
        } else {
            (new AuditSheet($sheet, $output))->print($audit);
        }

        return $audit->isClean() ? self::SUCCESS : self::FAILURE;
    }

    /** @return Closure(Tally): void */
    private function progress(OutputInterface $notes): Closure
    {
        $next = 0.0;

        return static function (Tally $tally) use ($notes, &$next): void {
            if (microtime(true) < $next || !$notes->isDecorated()) {
                return;
            }
            $next = microtime(true) + 0.5;
            $line = "\r{$tally->requests} requests to {$tally->pages()} pages\e[K\r";
            $notes->write($line, false, OutputInterface::OUTPUT_RAW);
        };
    }
}
