<?php

declare(strict_types=1);

namespace Howdah\Cli\Command;

use Howdah\Cli\Doctor\Examination;
use Howdah\Cli\Doctor\Finding;
use Howdah\Cli\Doctor\Kernel;
use Howdah\Cli\Doctor\Rating;
use Howdah\Cli\Installation;
use Howdah\Cli\ServeOptions;
use Howdah\Cli\Sheet;
use Symfony\Component\Console\Attribute\AsCommand;
use Symfony\Component\Console\Command\Command;
use Symfony\Component\Console\Input\InputInterface;
use Symfony\Component\Console\Input\InputOption;
use Symfony\Component\Console\Output\OutputInterface;

#[AsCommand('doctor', 'Say what would go wrong on this machine, before it does')]
final class DoctorCommand extends Command
{
    private const HELP = <<<'TEXT'
        Looks at nginx, libphp, its php.ini, opcache, the limits of this machine and, where PATH is given, at the project. It
        takes what <info>howdah serve</info> takes and judges a server with these options; it starts none.

          <info>howdah doctor</info>                                         this machine
          <info>howdah doctor /srv/shop --concurrency=200</info>             does it bear 200 requests at once in each worker?

        A <comment>note</comment> is worth knowing, a <comment>problem</comment> makes serve refuse, or requests fail.

        <comment>Exit status</comment>
        0 when there is no problem, 1 when there is one.
        TEXT;

    public function __construct(private readonly Installation $installation)
    {
        parent::__construct();
    }

    protected function configure(): void
    {
        ServeOptions::define($this);
        $this->getDefinition()->getArgument('path')->setDefault(null);
        $this->addOption('json', null, InputOption::VALUE_NONE, 'Print JSON instead of a table');
        $this->setHelp(self::HELP);
    }

    protected function execute(InputInterface $input, OutputInterface $output): int
    {
        $options = ServeOptions::fromInput($input);
        $hasPath = $input->getArgument('path') !== null;
        $findings = (new Examination($this->installation, $options, new Kernel(), $hasPath))->findings();
        $count = static fn (Rating $rating): int => count(array_filter(
            $findings,
            static fn (Finding $finding): bool => $finding->rating === $rating,
        ));
        $problems = $count(Rating::Problem);
        $notes = $count(Rating::Note);
        $sheet = new Sheet($output);
        if ($input->getOption('json') === true) {
            $sheet->json(['serves' => $problems === 0, 'problems' => $problems, 'notes' => $notes, 'findings' => $findings]);
        } else {
            $sheet->table(['', '', ''], array_map($this->row(...), $findings));
            $sheet->verdict($problems === 0, sprintf(
                'howdah serve %s: %d %s, %d %s',
                $problems === 0 ? 'would work' : 'would not work well',
                $problems,
                $problems === 1 ? 'problem' : 'problems',
                $notes,
                $notes === 1 ? 'note' : 'notes',
            ));
        }

        return $problems === 0 ? self::SUCCESS : self::FAILURE;
    }

    /** @return list<string> */
    private function row(Finding $finding): array
    {
        $style = match ($finding->rating) {
            Rating::Ok => 'info',
            Rating::Note => 'comment',
            Rating::Problem => 'error',
        };

        return ["<$style>{$finding->rating->value}</>", $finding->subject, $finding->message];
    }
}
