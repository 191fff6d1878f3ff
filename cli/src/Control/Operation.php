<?php

declare(strict_types=1);

namespace Howdah\Cli\Control;

use Closure;
use Howdah\Cli\Failure;
use Howdah\Cli\Preparation;
use Howdah\Cli\Project;
use Howdah\Cli\RuntimeFolder;
use Howdah\Cli\ServeOptions;

/** What `howdah serve` is asked for while it serves: its record for other commands, and reloads. */
final class Operation
{
    private ServerRecord $record;

    /** How many configurations nginx was given before this one. */
    private int $number = 0;

    /** Relative paths of the command line begin here. It may be below a link that is switched. */
    private readonly string $workingFolder;

    /**
     * @param Closure(): Preparation $prepare finds and checks the project again
     * @param Closure(string): void  $tell    prints a line for the user
     */
    public function __construct(
        private readonly RuntimeFolder $folder,
        ServeOptions $options,
        private Preparation $preparation,
        private readonly Closure $prepare,
        private readonly Closure $tell,
    ) {
        $this->workingFolder = LogicalPath::of('.');
        $pid = (int) getmypid();
        $this->record = new ServerRecord(
            $pid,
            ProcessStat::birthOf($pid),
            LogicalPath::of($options->path),
            $preparation->project->root,
            $options->listen->toUrl(),
            $preparation->project->mode->value,
            $options->workers,
            $options->concurrency,
            time(),
            $options->stopTimeout,
        );
        $folder->write(Reload::CONFIGURATION, $preparation->configuration());
        foreach (Master::FILES as $file) {
            $folder->write($file, '');
        }
        $folder->write(ServerRecord::FILE, $this->record->toText());
    }

    public function project(): Project
    {
        return $this->preparation->project;
    }

    /**
     * Classic mode, where the worker script that was found does not boot and a front controller is there. What goes wrong is
     * told, and changes nothing.
     *
     * @param Closure(): bool $wait a moment; true: the server is to stop
     */
    public function serveInstead(Master $master, Closure $wait): bool
    {
        $classic = $this->preparation->inClassicMode();
        if ($classic === null) {
            return false;
        }
        ($this->tell)("the worker script {$this->project()->script} ({$this->project()->reason}) does not boot, the log above"
            . ' tells why: classic mode serves instead; when it is mended, `howdah reload` tries it again');
        try {
            (new Reload($this->folder, $master))->run($classic->configuration(null, ++$this->number), $this->number, $wait);
        } catch (Failure $failure) {
            ($this->tell)('classic mode does not serve either: ' . strtok($failure->getMessage(), "\n"));

            return false;
        }
        $this->preparation = $classic;
        $this->record = $this->record->serving($classic->project->root, $classic->project->mode->value);
        $this->save();

        return true;
    }

    /**
     * New code, and the configuration as it is now. What goes wrong is told, here and in the record, and changes nothing.
     *
     * @param Closure(): bool $wait a moment; true: the server is to stop
     */
    public function reload(Master $master, Closure $wait): void
    {
        $this->record = $this->record->begun();
        $this->save();
        ($this->tell)('reloading');
        try {
            // PHP would remember for two minutes where a link led.
            clearstatcache(true);
            if (!@chdir($this->workingFolder)) {
                throw new Failure("the folder in which this server was started, {$this->workingFolder}, is not there any more:"
                    . ' put it back, or start the server in another one');
            }
            $preparation = ($this->prepare)();
            $preparation->assertSameModule($this->preparation);
            $configuration = $preparation->configuration(null, ++$this->number);
            $deaf = (new Reload($this->folder, $master))->run($configuration, $this->number, $wait);
        } catch (Failure $failure) {
            // The rest of it is in the log already.
            ($this->tell)('NOT reloaded, the old workers go on: ' . strtok($failure->getMessage(), "\n"));
            $this->record = $this->record->failed($failure->getMessage());
            $this->save();

            return;
        }
        $isOther = $preparation->project->mode !== $this->project()->mode;
        $this->preparation = $preparation;
        $project = $preparation->project;
        // Before the line at which whoever waits stops reading.
        foreach ($deaf as $pid) {
            ($this->tell)("worker process $pid is of before the reload and has not heard of it: C code holds it, or it is"
                . ' stopped. It leaves as soon as it hears. In a hurry: kill -9, which loses its requests');
        }
        ($this->tell)("reloaded: new workers serve {$project->root}"
            . ($isOther ? " in {$project->mode->value} mode ({$project->reason})" : ''));
        $this->record = $this->record->reloaded($project->root, $project->mode->value);
        $this->save();
    }

    /** A disk that is full is no reason to stop serving. */
    private function save(): void
    {
        try {
            $this->folder->write(ServerRecord::FILE, $this->record->toText());
        } catch (Failure $failure) {
            if (!$this->folder->overwrite(ServerRecord::FILE, $this->record->shortened()->toText())) {
                ($this->tell)($failure->getMessage());
            }
        }
    }
}
