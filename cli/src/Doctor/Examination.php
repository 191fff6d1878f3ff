<?php

declare(strict_types=1);

namespace Howdah\Cli\Doctor;

use Howdah\Cli\Failure;
use Howdah\Cli\Installation;
use Howdah\Cli\Nginx;
use Howdah\Cli\PhpRuntime;
use Howdah\Cli\PhpSettings;
use Howdah\Cli\Project;
use Howdah\Cli\ProjectFinder;
use Howdah\Cli\Protection;
use Howdah\Cli\RuntimeFolder;
use Howdah\Cli\Server;
use Howdah\Cli\ServeOptions;

/**
 * Everything that can be told of a server before it is started, in the order in which one would put it right. What `serve`
 * refuses is asked with the same functions; what rests on something that is missing is left out.
 */
final class Examination
{
    private readonly Findings $findings;
    private readonly PhpCheck $php;

    /** @param bool $needsProject whether it is a problem that there is none in the folder */
    public function __construct(
        private readonly Installation $installation,
        private readonly ServeOptions $options,
        private readonly Kernel $kernel,
        private readonly bool $needsProject,
    ) {
        $this->findings = new Findings();
        $this->php = new PhpCheck($installation, $options, $this->findings);
    }

    /** @return list<Finding> */
    public function findings(): array
    {
        $php = PHP_VERSION . ' (' . PHP_BINARY . ')';
        $this->findings->add(Finding::ok('command', 'Howdah ' . Installation::VERSION . " on PHP $php"));
        $this->nginx();
        $php = $this->php->look();
        $project = $this->project();
        if ($php !== null) {
            $files = $project === null ? null : PhpFiles::below($project->root);
            $this->findings->add(...(new OpcacheCheck($php, $files))->findings());
        }
        if ($php !== null && $project !== null) {
            $script = $project->script;
            $this->findings->hold('project', static fn () => $script === null ? null : $php->assertCompiles($script));
            $this->application($php, $project);
            if ($this->options->concurrency > 1) {
                $this->findings->add(...(new ProcessNumberCheck($project->root))->findings());
            }
        }
        if ($project !== null) {
            $this->protection($project);
        }
        $this->place();
        if ($php !== null) {
            $this->limits($php);
        }

        return $this->findings->all();
    }

    /**
     * The problems that `serve` need not refuse for but should tell: it has asked for the rest itself.
     *
     * @return list<Finding>
     */
    public function problemsOf(PhpRuntime $php, Project $project): array
    {
        $this->application($php, $project);
        if (LimitsCheck::mayFail($this->kernel, $this->options)) {
            $this->limits($php);
        }

        return array_values(array_filter(
            $this->findings->all(),
            static fn (Finding $finding): bool => $finding->rating === Rating::Problem,
        ));
    }

    private function nginx(): void
    {
        $nginx = $this->findings->attempt('nginx', Nginx::find(...));
        if ($nginx === null) {
            return;
        }
        $this->findings->addVersion('nginx', "$nginx->version ($nginx->path)", $nginx->series(), Nginx::TESTED);
        $module = $this->findings->attempt('module', $this->installation->module(...));
        $load = fn () => $nginx->assertLoads((string) $module, $this->installation->remedy());
        if ($module !== null && $this->findings->hold('module', $load)) {
            $this->findings->add(Finding::ok('module', "$module, and this nginx loads it"));
        }
        if ($this->options->tls->isOn) {
            $this->findings->hold('tls', fn () => $this->tls($nginx));
        }
    }

    private function tls(Nginx $nginx): void
    {
        ['is' => $is, 'warnings' => $warnings] = $this->options->tls->told($this->options->listen, $nginx);
        foreach ($warnings as $warning) {
            $this->findings->add(Finding::note('tls', $warning));
        }
        $this->findings->add(Finding::ok('tls', $is));
    }

    private function project(): ?Project
    {
        $failure = null;
        try {
            $project = (new ProjectFinder())->find($this->options);
        } catch (Failure $failure) {
            $this->findings->add($this->needsProject
                ? Finding::problem('project', $failure)
                : Finding::note('project', 'none in this folder: name one to have it looked at (howdah doctor /srv/shop)'));

            return null;
        }
        $mode = "{$project->mode->value} mode" . ($project->script === null ? '' : " with $project->script");
        $this->findings->add(Finding::ok('project', "$project->root in $mode ($project->reason)"));

        return $project;
    }

    private function application(PhpRuntime $php, Project $project): void
    {
        if ($project->script !== null) {
            $script = $project->script;
            $this->findings->hold('user', fn () => $this->options->assertUserReads($script));
        }
        $platform = Platform::of($project->root, $project->script);
        $this->findings->add(...(new PlatformCheck($php, $platform, $this->options->phpIni))->findings());
        $this->sessions($php->settings);
    }

    private function protection(Project $project): void
    {
        $protection = $this->findings->attempt('files', static fn (): Protection => new Protection($project));
        if ($protection?->kept() !== null) {
            $this->findings->add(Finding::ok('files', $protection->kept()));
        }
        foreach ($protection?->unfollowed() ?? [] as $line) {
            $this->findings->add(Finding::note('files', $line));
        }
    }

    /** Many applications have their own place for them: so this is no problem yet. */
    private function sessions(PhpSettings $settings): void
    {
        // "5;0600;/folder" spreads files over folders.
        $path = (string) preg_replace('/^(\d+;){1,2}/', '', $settings->text('session.save_path')) ?: sys_get_temp_dir();
        if ($settings->text('session.save_handler') === 'files' && !$this->options->workersMay('-w', $path)) {
            $this->findings->add(Finding::note('sessions', "session.save_path is $path, which is not there or may not be"
                . ' written: unless the application sets its own, make it, or give --ini=session.save_path=DIR'));
        }
    }

    private function place(): void
    {
        $listen = $this->options->listen->free();
        if ($listen !== $this->options->listen) {
            $this->findings->add(Finding::note('address', "{$this->options->listen->toNginx()} is in use by another program:"
                . " serve takes {$listen->toNginx()}"));
        } elseif ($this->findings->hold('address', $listen->assertFree(...))) {
            $this->findings->add(Finding::ok('address', "{$listen->toUrl()} is free"));
        }
        if ($this->findings->hold('folder', static fn () => (new RuntimeFolder())->remove())) {
            $this->findings->add(Finding::ok('folder', sys_get_temp_dir() . ' can be written'));
        }
        $this->findings->hold('programs', Server::assertTools(...));
        $warning = $this->options->rootWarning();
        if ($warning !== null) {
            $this->findings->add(Finding::note('user', $warning));
        }
    }

    private function limits(PhpRuntime $php): void
    {
        $cost = $this->findings->attempt('realms', fn () => RealmCost::measure(
            $this->installation,
            $this->options,
            $this->php->refused(),
        ));
        if ($cost !== null) {
            $this->findings->add(...(new LimitsCheck($this->kernel, $cost, $this->options, $php->settings))->findings());
        }
    }
}
