<?php

declare(strict_types=1);

namespace Howdah\Cli\Doctor;

use Closure;
use Howdah\Cli\Failure;
use Howdah\Cli\Installation;
use Howdah\Cli\Nginx;
use Howdah\Cli\PhpRuntime;
use Howdah\Cli\PhpSettings;
use Howdah\Cli\Project;
use Howdah\Cli\ProjectFinder;
use Howdah\Cli\RuntimeFolder;
use Howdah\Cli\Server;
use Howdah\Cli\ServeOptions;

/**
 * Everything that can be told of a server before it is started, in the order in which one would put it right. What `serve`
 * refuses is asked with the same functions; what rests on something that is missing is left out.
 */
final class Examination
{
    /** @var list<Finding> */
    private array $findings = [];

    /** @var list<string> extensions for which PHP does not start */
    private array $refused = [];

    /** @param bool $needsProject whether it is a problem that there is none in the folder */
    public function __construct(
        private readonly Installation $installation,
        private readonly ServeOptions $options,
        private readonly Kernel $kernel,
        private readonly bool $needsProject,
    ) {
    }

    /** @return list<Finding> */
    public function findings(): array
    {
        $this->findings = [];
        $php = PHP_VERSION . ' (' . PHP_BINARY . ')';
        $this->add(Finding::ok('command', 'Howdah ' . Installation::VERSION . " on PHP $php"));
        $this->nginx();
        $php = $this->php();
        $project = $this->project();
        if ($php !== null) {
            $files = $project === null ? null : PhpFiles::below($project->root);
            $this->add(...(new OpcacheCheck($php, $files))->findings());
        }
        if ($php !== null && $project !== null) {
            $script = $project->script;
            $this->holds('project', static fn () => $script === null ? null : $php->assertCompiles($script));
            $this->application($php, $project);
        }
        $this->place();
        if ($php !== null) {
            $this->limits($php);
        }

        return $this->findings;
    }

    /**
     * The problems that `serve` need not refuse for but should tell: it has asked for the rest itself.
     *
     * @return list<Finding>
     */
    public function problemsOf(PhpRuntime $php, Project $project): array
    {
        $this->findings = [];
        $this->application($php, $project);
        if (LimitsCheck::mayFail($this->kernel, $this->options)) {
            $this->limits($php);
        }

        return array_values(array_filter(
            $this->findings,
            static fn (Finding $finding): bool => $finding->rating === Rating::Problem,
        ));
    }

    private function nginx(): void
    {
        $nginx = $this->attempt('nginx', Nginx::find(...));
        if ($nginx === null) {
            return;
        }
        $this->add($this->version('nginx', "$nginx->version ($nginx->path)", $nginx->series(), Nginx::TESTED));
        $module = $this->attempt('module', $this->installation->module(...));
        if ($module !== null && $this->holds('module', fn () => $nginx->assertLoads($module, $this->installation->remedy()))) {
            $this->add(Finding::ok('module', "$module, and this nginx loads it"));
        }
    }

    private function php(): ?PhpRuntime
    {
        $extensions = new ExtensionsCheck($this->installation, $this->options);
        $refusal = '';
        try {
            $php = PhpRuntime::probe($this->installation, $this->options->engineArguments());
        } catch (Failure $failure) {
            $refusal = $failure->getMessage();
            $this->add(Finding::problem('PHP', $failure));
            $this->refused = $extensions->refused();
            $php = $this->refused === [] ? null : $this->withRefused();
        }
        if ($php === null) {
            return null;
        }
        $scanned = array_count_values(array_map(dirname(...), $php->scanned));
        $folders = array_map(
            static fn (string $folder, int $files): string => "$files files of $folder",
            array_keys($scanned),
            $scanned,
        );
        $settings = implode(', ', [$php->ini ?? 'no php.ini', ...$folders]);
        $told = "$php->version (libphp; $settings), " . count($php->extensions) . ' extensions';
        $this->add($this->version('PHP', $told, $php->series(), PhpRuntime::TESTED));
        foreach ($php->warnings as $warning) {
            $this->add(Finding::note('PHP', $warning));
        }
        if (!str_starts_with(PHP_VERSION, "{$php->series()}.")) {
            $this->add(Finding::note('PHP', 'the command line is PHP ' . PHP_VERSION . ', and Composer chooses packages for'
                . " that one: run it with php{$php->series()}"));
        }

        $this->add(...$extensions->findings(implode("\n", [$refusal, ...$php->warnings])));

        return $this->holds('opcache', $php->assertServes(...)) ? $php : null;
    }

    /** So that the rest can be looked at, too. */
    private function withRefused(): ?PhpRuntime
    {
        try {
            return PhpRuntime::probe($this->installation, $this->options->engineArguments(null, $this->refused));
        } catch (Failure) {
            return null;
        }
    }

    private function project(): ?Project
    {
        $failure = null;
        try {
            $project = (new ProjectFinder())->find($this->options);
        } catch (Failure $failure) {
            $this->add($this->needsProject
                ? Finding::problem('project', $failure)
                : Finding::note('project', 'none in this folder: name one to have it looked at (`howdah doctor /srv/shop`)'));

            return null;
        }
        $script = $project->script === null ? '' : " with $project->script";
        $this->add(Finding::ok('project', "$project->root in {$project->mode->value} mode$script ($project->reason)"));

        return $project;
    }

    private function application(PhpRuntime $php, Project $project): void
    {
        if ($project->script !== null) {
            $script = $project->script;
            $this->holds('user', fn () => $this->options->assertUserReads($script));
        }
        $this->add(...(new PlatformCheck($php, Platform::of($project->root)))->findings());
        $this->sessions($php->settings);
    }

    /** Many applications have their own place for them: so this is no problem yet. */
    private function sessions(PhpSettings $settings): void
    {
        // "5;0600;/folder" spreads files over folders.
        $path = (string) preg_replace('/^(\d+;){1,2}/', '', $settings->text('session.save_path')) ?: sys_get_temp_dir();
        if ($settings->text('session.save_handler') === 'files' && !$this->options->workersMay('-w', $path)) {
            $this->add(Finding::note('sessions', "session.save_path is $path, which is not there or may not be written: unless"
                . ' the application sets its own, make it, or give --ini=session.save_path=DIR'));
        }
    }

    private function place(): void
    {
        if ($this->holds('address', $this->options->listen->assertFree(...))) {
            $this->add(Finding::ok('address', "{$this->options->listen->toUrl()} is free"));
        }
        if ($this->holds('folder', static fn () => (new RuntimeFolder())->remove())) {
            $this->add(Finding::ok('folder', sys_get_temp_dir() . ' can be written'));
        }
        $this->holds('programs', Server::assertTools(...));
        $warning = $this->options->rootWarning();
        if ($warning !== null) {
            $this->add(Finding::note('user', $warning));
        }
    }

    private function limits(PhpRuntime $php): void
    {
        $cost = $this->attempt('realms', fn () => RealmCost::measure(
            $this->installation,
            $this->options,
            $this->refused,
        ));
        if ($cost !== null) {
            $this->add(...(new LimitsCheck($this->kernel, $cost, $this->options, $php->settings))->findings());
        }
    }

    /** @param list<string> $tested the series that our tests run with */
    private function version(string $subject, string $told, string $series, array $tested): Finding
    {
        return in_array($series, $tested, true) ? Finding::ok($subject, $told) : Finding::note($subject, "$told: Howdah is"
            . ' tested with ' . implode(' and ', $tested) . '; run its tests with this one (`make test`)');
    }

    /**
     * @template T of object|string
     * @param  Closure(): T $ask
     * @return T|null
     */
    private function attempt(string $subject, Closure $ask): object|string|null
    {
        try {
            return $ask();
        } catch (Failure $failure) {
            $this->add(Finding::problem($subject, $failure));

            return null;
        }
    }

    /** @param Closure(): void $assert */
    private function holds(string $subject, Closure $assert): bool
    {
        try {
            $assert();

            return true;
        } catch (Failure $failure) {
            $this->add(Finding::problem($subject, $failure));

            return false;
        }
    }

    private function add(Finding ...$findings): void
    {
        array_push($this->findings, ...array_values($findings));
    }
}
