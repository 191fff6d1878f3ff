<?php

declare(strict_types=1);

namespace Howdah\Cli\Doctor;

use Howdah\Cli\Failure;
use Howdah\Cli\Installation;
use Howdah\Cli\PhpRuntime;
use Howdah\Cli\ServeOptions;

/** Starts PHP as serve would: what it is, what it and the engine complain of, what is thought of its extensions. */
final class PhpCheck
{
    /** @var list<string> */
    private array $refused = [];

    public function __construct(
        private readonly Installation $installation,
        private readonly ServeOptions $options,
        private readonly Findings $findings,
    ) {
    }

    /** Null where PHP does not start, or could not serve. */
    public function look(): ?PhpRuntime
    {
        $extensions = new ExtensionsCheck($this->installation, $this->options);
        $refusal = '';
        try {
            $php = PhpRuntime::probe($this->installation, $this->options->engineArguments());
        } catch (Failure $failure) {
            $refusal = $failure->getMessage();
            $this->findings->add(Finding::problem('PHP', $failure));
            $this->refused = $extensions->refused();
            $php = $this->refused === [] ? null : $this->withRefused();
        }
        if ($php === null) {
            return null;
        }
        $this->tell($php);
        $this->findings->add(...$extensions->findings(implode("\n", [$refusal, ...$php->warnings])));

        return $this->findings->hold('opcache', $php->assertServes(...)) ? $php : null;
    }

    /** @return list<string> extensions for which PHP does not start */
    public function refused(): array
    {
        return $this->refused;
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

    private function tell(PhpRuntime $php): void
    {
        $settings = [$php->ini ?? 'no php.ini'];
        foreach (array_count_values(array_map(dirname(...), $php->scanned)) as $folder => $files) {
            $settings[] = "$files files of $folder";
        }
        $told = "$php->version (libphp; " . implode(', ', $settings) . '), ' . count($php->extensions) . ' extensions';
        $this->findings->addVersion('PHP', $told, $php->series(), PhpRuntime::TESTED);
        foreach ($php->warnings as $warning) {
            $this->findings->add(Finding::note('PHP', $warning));
        }
        if (!str_starts_with(PHP_VERSION, "{$php->series()}.")) {
            $this->findings->add(Finding::note('PHP', 'the command line is PHP ' . PHP_VERSION . ', and Composer chooses'
                . " packages for that one: run it with php{$php->series()}"));
        }
    }
}
