<?php

declare(strict_types=1);

namespace Howdah\Cli\Command;

use Closure;
use Howdah\Cli\BodyLimits;
use Howdah\Cli\Browser;
use Howdah\Cli\Control\Leftovers;
use Howdah\Cli\Control\Operation;
use Howdah\Cli\Control\PassedSocket;
use Howdah\Cli\Development\Development;
use Howdah\Cli\Development\FileWatcher;
use Howdah\Cli\Doctor\Examination;
use Howdah\Cli\Doctor\Finding;
use Howdah\Cli\Doctor\Kernel;
use Howdah\Cli\Installation;
use Howdah\Cli\ListenOptions;
use Howdah\Cli\Mode;
use Howdah\Cli\Preparation;
use Howdah\Cli\Project;
use Howdah\Cli\RuntimeFolder;
use Howdah\Cli\ServeOptions;
use Howdah\Cli\Server;
use Symfony\Component\Console\Attribute\AsCommand;
use Symfony\Component\Console\Command\Command;
use Symfony\Component\Console\Formatter\OutputFormatter;
use Symfony\Component\Console\Input\InputInterface;
use Symfony\Component\Console\Output\ConsoleOutputInterface;
use Symfony\Component\Console\Output\OutputInterface;

#[AsCommand('serve', 'Serve a project in the foreground')]
final class ServeCommand extends Command
{
    private const HELP = <<<'TEXT'
        Starts nginx with Howdah's module in the foreground, until Ctrl-C, SIGTERM or `howdah stop`; then running requests end
        first. `howdah reload` or SIGHUP reloads: new workers with new code take over, the old ones finish what they have.
        SIGUSR1 opens logs anew.

          <info>howdah serve</info>                                          the project in this folder
          <info>howdah serve /srv/shop --listen=0.0.0.0:80</info>            for everybody
          <info>howdah serve /srv/shop --mode=classic</info>                 every request starts from nothing, as with php-fpm
          <info>howdah serve . --worker-script=bin/worker.php</info>         boot once, then handle requests
          <info>howdah serve . --workers=2 --concurrency=32</info>           up to 64 PHP requests at once
          <info>howdah serve . --concurrency=256 --adaptive=4</info>         as many at once as are fastest, from 4 to 256
          <info>howdah serve . -p 8000 --open</info>                         on another port, and in your browser
          <info>howdah serve . --watch</info>                                new code as soon as a file is saved
          <info>howdah serve . --dev</info>                                  and errors of PHP on pages
          <info>howdah serve . --tls</info>                                  HTTPS, with a certificate that is made for you
          <info>howdah serve . --ini=memory_limit=256M --ini=display_errors=0</info>

        <comment>What is served</comment>
        The document root is --docroot, or the first of PATH/public, webroot, web, html, htdocs, public_html, www and docroot
        that has an index.php, or PATH. Files below it are sent by nginx and PHP files are run; dotfiles, PHP's sources and what
        .htaccess files refuse are not sent (docs/serve.md). All the rest goes to:
          worker mode   the worker script: --worker-script, or composer.json's extra.howdah.worker, or
                        frankenphp-worker.php in the document root, or the one of the framework (Laravel with Octane, Symfony)
          classic mode  index.php in the document root
        --mode=auto takes worker mode if there is a worker script that is safe; the line that says what is served says why. PHP
        files beside it start from nothing for each request, as in classic mode: in each worker a quarter as many at once as
        --concurrency says (none with --concurrency=1), or --scripts=N. Worker scripts themselves and Composer's vendor folder
        are not run so.

        <comment>Settings and logs</comment>
        PHP reads the php.ini of the embed SAPI (`howdah version` tells where) and then --ini. The environment is passed on.
        Requests are logged to standard output, errors to standard error. On a terminal each request is a short line, in colour
        unless NO_COLOR is set; --log=json makes it a JSON object with what the request took, for log collectors.

        <comment>Exit status</comment>
        0 after a stop that was asked for, 1 when it cannot serve or was forced to stop.
        TEXT;

    /** How the line begins that says that it is served. */
    private const SERVING = 'serving ';

    public function __construct(private readonly Installation $installation)
    {
        parent::__construct();
    }

    protected function configure(): void
    {
        ServeOptions::define($this);
        $this->setHelp(self::HELP);
    }

    protected function execute(InputInterface $input, OutputInterface $output): int
    {
        $notes = $output instanceof ConsoleOutputInterface ? $output->getErrorOutput() : $output;
        // Also where it cannot serve: for want of room, it may be.
        Leftovers::remove(sys_get_temp_dir());
        $passed = PassedSocket::find();
        $another = ListenOptions::settle($input, $passed);
        if ($another !== null) {
            $notes->writeln('<comment>howdah: ' . OutputFormatter::escape($another) . '</comment>');
        }
        $options = ServeOptions::fromInput($input, null, stream_isatty(STDOUT), $output->isDecorated());
        $preparation = Preparation::of($this->installation, $options, listens: $passed !== null);
        foreach ($this->warnings($preparation, $options) as $warning) {
            $notes->writeln('<comment>howdah: ' . OutputFormatter::escape($warning) . '</comment>');
        }
        $folder = new RuntimeFolder($options->user);
        try {
            $tell = static fn (string $line) => $notes->writeln('howdah: ' . OutputFormatter::escape($line));
            foreach ($preparation->tls->notes ?? [] as $line) {
                $tell($line);
            }
            $prepare = function () use ($options, $tell): Preparation {
                $again = Preparation::of($this->installation, $options, null, true);
                foreach ($again->tls->warnings ?? [] as $line) {
                    $tell($line);
                }

                return $again;
            };
            $operation = new Operation($folder, $options, $preparation, $prepare, $tell);
            $announce = fn (): string => $this->announcement($operation->project(), $options, $preparation->bodies());
            $development = $this->development($options, $preparation->project, $tell);
            $tells = $this->opening($options, $tell);
            if ($options->livePage->url() !== null) {
                $tell("the live page is at {$options->livePage->url()} (--no-live-page)");
            }
            if ($options->statusAddress !== null) {
                $tell($options->statusAddress->told());
            }
            $server = new Server($preparation, $folder, $options->stopTimeout, $tells, null, $development);

            return $server->run($announce, $operation);
        } finally {
            $folder->remove();
        }
    }

    /**
     * The page opens when it is said for the first time that it is served.
     *
     * @param  Closure(string): void $tell
     * @return Closure(string): void
     */
    private function opening(ServeOptions $options, Closure $tell): Closure
    {
        $opens = $options->development->opens;

        return static function (string $line) use ($options, $tell, &$opens): void {
            $tell($line);
            if ($opens && str_starts_with($line, self::SERVING)) {
                $opens = false;
                $url = $options->listen->toUrl();
                if (!Browser::open($url)) {
                    $tell("--open: there is no browser that can open $url (the variable BROWSER names one)");
                }
            }
        };
    }

    /** @param Closure(string): void $tell */
    private function development(ServeOptions $options, Project $project, Closure $tell): ?Development
    {
        if (!$options->development->watches) {
            return null;
        }
        $watcher = new FileWatcher($this->installation->runner(), $project->root, $options->development->polls);

        return new Development($watcher, $options->development->reloadsPages, $tell);
    }

    /** @return list<string> what `howdah doctor` calls problems, though a server can be started; and what is not published */
    private function warnings(Preparation $preparation, ServeOptions $options): array
    {
        $examination = new Examination($this->installation, $options, new Kernel(), true);
        $problems = $examination->problemsOf($preparation->php, $preparation->project);

        return array_values(array_filter([
            $options->rootWarning(),
            $options->pool->warning($preparation->project->mode),
            $options->statusAddress?->warning(),
            ...($preparation->tls->warnings ?? []),
            $preparation->protection->kept(),
            ...$preparation->protection->unfollowed(),
            ...array_map(static fn (Finding $problem): string => $problem->message, $problems),
        ]));
    }

    private function announcement(Project $project, ServeOptions $options, BodyLimits $bodies): string
    {
        $script = $project->script === null ? '' : " with {$project->script}";
        $mode = $project->mode === Mode::Worker ? 'worker mode' : 'classic mode';

        $atOnce = ($options->adaptive === 0 ? '' : "$options->adaptive to ") . $options->concurrency;

        return self::SERVING . "{$project->root} on {$options->listen->toUrl()} in $mode$script ({$project->reason}),"
            . " {$options->workers} x {$atOnce} requests at once, {$bodies->told()}; Ctrl-C stops";
    }
}
