<?php

declare(strict_types=1);

namespace Howdah\Cli\Command;

use Howdah\Cli\Control\RunningServers;
use Howdah\Cli\Failure;
use Howdah\Cli\Top\Live;
use Howdah\Cli\Top\Request;
use Howdah\Cli\Top\Screen;
use Howdah\Cli\Top\Table;
use Howdah\Cli\Top\Window;
use Howdah\Cli\Top\Worker;
use Symfony\Component\Console\Attribute\AsCommand;
use Symfony\Component\Console\Command\Command;
use Symfony\Component\Console\Input\InputInterface;
use Symfony\Component\Console\Input\InputOption;
use Symfony\Component\Console\Output\OutputInterface;

#[AsCommand('top', 'Show what each request in flight does')]
final class TopCommand extends Command
{
    /** Workers that compute PHP code answer within a slice; those that only wait look five times a second. */
    private const PATIENCE = 1.0;

    /** Of a request: its worker's process, and a number that no other one has. */
    private const NAME = '/^[1-9]\d{0,9}-[1-9]\d{0,17}$/D';

    private const HELP = <<<'TEXT'
        Lists the requests that the workers of nginx have, the oldest first: what each of them does or waits for, and the line
        at which its PHP code is. In a terminal the list is live, and its second line names the keys. Works with `howdah serve`
        and with any other nginx that has Howdah's module. Run it as the user who started nginx, or as root. The first column
        is a worker's process, and the number of a request of it.

          <info>howdah top</info>
          <info>howdah top --once</info>
          <info>howdah top --once --sort=memory --stack --filter=/checkout</info>
          <info>howdah top --end=4711-1730</info>
          <info>howdah top --once --json | jq '.requests[] | select(.age_seconds > 5)'</info>

        <comment>State</comment>
        waits     for what is named: a peer, a lock, its client
        computes  PHP code, which lets others run
        holds     C code, which lets nobody run: its worker does not answer meanwhile
        queued    no realm has begun with it

        <comment>--json</comment>
        {"workers": [{"server", "pid", "requests", "answers", "deaf_seconds", "told_seconds_ago", "not_listed",
        "without_stack", "process_state"}], "requests": [{"server", "worker", "request", "realm", "mode", "pool", "client",
        "method", "uri", "age_seconds", "state", "for", "subject", "since_seconds", "held_by", "wait_seconds", "waited",
        "cpu_seconds", "memory_bytes", "at", "stack"}]}. `server` is nginx's master process. `at` and each of `stack` are
        {"function", "file", "line"}. `held_by` is {"process", "realm", "request"}: who has the lock of the file that it waits
        for, or null where that is not known; `realm` and `request` are null where it is another process, and `request` where
        the realm has it since an earlier one. `waited` is [{"for", "subject", "seconds", "count", "longest_seconds", "at"}]:
        where it has waited longest, in waits that are over; null unless the slow log watches it (`howdah_slow`, --slow).
        `cpu_seconds` is null unless CPU time is measured.

        <comment>--end</comment>
        Ends the request as a time limit would: what it waits for fails, its code is unwound, its client gets 504 (503 if it
        waited for a realm). The error log says so, with its line of PHP. An ID whose request has ended ends no other.

        <comment>Exit status</comment>
        0; 1 if there is no such nginx, if a worker has not answered, or if there is no such request to end.
        TEXT;

    protected function configure(): void
    {
        $sorts = array_keys(Table::SORTS);
        $this->addOption('once', null, InputOption::VALUE_NONE, 'Show it once, as where there is no terminal')
            ->addOption('json', null, InputOption::VALUE_NONE, 'For programs')
            ->addOption('sort', null, InputOption::VALUE_REQUIRED, 'By age, wait, cpu or memory', 'age', $sorts)
            ->addOption('filter', null, InputOption::VALUE_REQUIRED, 'Those whose URI, client, state or place has this text')
            ->addOption('stack', null, InputOption::VALUE_NONE, 'With the backtrace of each, and where it has waited')
            ->addOption('end', null, InputOption::VALUE_REQUIRED, 'Ends the request that the first column names so')
            ->addOption('pid', null, InputOption::VALUE_REQUIRED, "nginx's master process, or `howdah serve`'s (default: all)")
            ->setHelp(self::HELP);
    }

    protected function execute(InputInterface $input, OutputInterface $output): int
    {
        $withStack = $input->getOption('stack') === true;
        $table = new Table(self::text($input, 'sort') ?? 'age', self::text($input, 'filter') ?? '', $withStack);
        $end = self::text($input, 'end');
        if ($end !== null && preg_match(self::NAME, $end) !== 1) {
            throw new Failure("--end=$end: give a request as the first column of `howdah top` has it, such as 4711-1730");
        }
        $windows = self::windows($input);
        if ($end !== null) {
            return self::end($windows, $end, $output);
        }
        if (self::isLive($input, $output)) {
            (new Live($windows, new Screen($table->sort, $table->filter), $output, STDIN))->run();

            return self::SUCCESS;
        }
        $workers = array_merge(...array_map(static fn (Window $one): array => $one->ask(self::PATIENCE), $windows));
        if ($input->getOption('json') === true) {
            $output->writeln(self::json($workers, $table->chosen($workers)), OutputInterface::OUTPUT_RAW);
        } else {
            $output->writeln($table->lines($workers), OutputInterface::OUTPUT_RAW);
        }
        $silent = array_filter($workers, static fn (Worker $worker): bool => !$worker->answers);

        return $silent === [] ? self::SUCCESS : self::FAILURE;
    }

    /** @param non-empty-list<Window> $windows */
    private static function end(array $windows, string $name, OutputInterface $output): int
    {
        $ending = Window::endAny($windows, $name, self::PATIENCE);
        if (!$ending->isSuccess()) {
            throw new Failure($ending->say($name));
        }
        $output->writeln($ending->say($name), OutputInterface::OUTPUT_RAW);

        return self::SUCCESS;
    }

    private static function isLive(InputInterface $input, OutputInterface $output): bool
    {
        foreach (['once', 'json', 'stack'] as $option) {
            if ($input->getOption($option) === true) {
                return false;
            }
        }

        $canPaint = !in_array(getenv('TERM'), [false, '', 'dumb'], true);

        return $canPaint && $input->isInteractive() && stream_isatty(STDIN) && stream_isatty(STDOUT) && !$output->isQuiet();
    }

    /**
     * @param list<Worker>  $workers
     * @param list<Request> $requests
     */
    private static function json(array $workers, array $requests): string
    {
        $told = [
            'workers' => array_map(static fn (Worker $worker): array => $worker->toArray(), $workers),
            'requests' => array_map(static fn (Request $request): array => $request->toArray(), $requests),
        ];
        $flags = JSON_UNESCAPED_SLASHES | JSON_PRETTY_PRINT | JSON_INVALID_UTF8_SUBSTITUTE | JSON_THROW_ON_ERROR;

        return json_encode($told, $flags);
    }

    private static function text(InputInterface $input, string $option): ?string
    {
        $value = $input->getOption($option);

        return is_string($value) ? $value : null;
    }

    /** @return non-empty-list<Window> of the server that is meant, or of all */
    private static function windows(InputInterface $input): array
    {
        $opened = Window::opened();
        if ($opened !== null) {
            return $opened;
        }
        $files = Window::find();
        $pid = self::text($input, 'pid');
        if ($pid !== null) {
            $servers = RunningServers::all();
            // `howdah status` lists the process of `howdah serve`, whose nginx is meant then.
            $isMeant = static fn (int $master): bool => $master === (int) $pid
                || ($servers["/proc/$master/cwd"]->pid ?? 0) === (int) $pid;
            $files = array_filter($files, $isMeant, ARRAY_FILTER_USE_KEY);
            if ($files === []) {
                throw new Failure("--pid=$pid is no nginx with Howdah that this user may look at: give the process of nginx's"
                    . ' master, or of `howdah serve`, as the user who started it, or as root');
            }
        }
        if ($files === []) {
            throw new Failure('no nginx with Howdah runs on this machine that this user may look at: ask as the user who'
                . ' started it, or as root');
        }
        Window::become($files);
    }
}
