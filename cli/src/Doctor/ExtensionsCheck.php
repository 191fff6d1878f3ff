<?php

declare(strict_types=1);

namespace Howdah\Cli\Doctor;

use Howdah\Cli\Installation;
use Howdah\Cli\Program;
use Howdah\Cli\ServeOptions;

/** What the engine thinks of each extension that libphp loads: from its table of those that are known, and its evidence. */
final readonly class ExtensionsCheck
{
    public function __construct(
        private Installation $installation,
        private ServeOptions $options,
    ) {
    }

    /**
     * @param  string $said by the engine when it started, or did not: what it said of an extension is not said again
     * @return list<Finding>
     */
    public function findings(string $said): array
    {
        $findings = [];
        $known = 0;
        foreach ($this->verdicts() as $one) {
            ['name' => $name, 'version' => $version, 'verdict' => $verdict] = $one;
            if ($verdict !== 'known' && preg_match('/ extension ' . preg_quote($name, '/') . '[ :]/', $said) === 1) {
                continue;
            }
            $what = trim("$name $version");
            $looked = 'it is watched while it serves, and `howdah audit PATH` looks closer';
            match ($verdict) {
                'known' => $known++,
                'other-version' => $findings[] = Finding::note('extensions', "$what is another version than those that were"
                    . " looked at: $looked"),
                'unknown-clean' => $findings[] = Finding::note('extensions', "$what is not known to Howdah; nothing was"
                    . " found that realms would share: $looked"),
                'listed' => $findings[] = Finding::note('extensions', "$what is not known to Howdah, and all requests share"
                    . ' what it keeps, as --shared-extension says'),
                default => $findings[] = $this->refusal($what, $one),
            };
        }

        return $known === 0 ? $findings : [
            Finding::ok('extensions', "$known were looked at: each realm has its own of what they keep for a request"),
            ...$findings,
        ];
    }

    /** @return list<string> names of those that serve would refuse */
    public function refused(): array
    {
        $refused = array_filter($this->verdicts(), static fn (array $one): bool => $one['verdict'] === 'refused');

        return array_column($refused, 'name');
    }

    /** @param array{name: string, version: string, verdict: string, found: string, leave_out: string} $one */
    private function refusal(string $what, array $one): Finding
    {
        ['name' => $name, 'found' => $found, 'leave_out' => $leaveOut] = $one;
        $keeps = "$what is not known to Howdah and keeps memory that it does not register as module globals: $found";

        return $this->options->concurrency === 1
            ? Finding::note('extensions', "$keeps; so each worker takes one request at a time, as --concurrency=1 says")
            : Finding::problem('extensions', "$keeps; leave it out ($leaveOut), serve with --concurrency=1, or,"
                . " when you know that all requests may share it, say so (--shared-extension=$name)");
    }

    /** @return list<array{name: string, version: string, verdict: string, found: string, leave_out: string}> */
    private function verdicts(): array
    {
        $answer = Program::run([$this->installation->runner(), ...$this->options->engineArguments(), '--extensions']);
        $start = strpos($answer->output, '{');
        $told = json_decode($start === false ? '' : substr($answer->output, $start), true);
        $extensions = is_array($told) && is_array($told['extensions'] ?? null) ? $told['extensions'] : [];
        $verdicts = [];
        foreach (array_filter($extensions, is_array(...)) as $extension) {
            $text = static fn (string $key): string => is_string($extension[$key] ?? null) ? $extension[$key] : '';
            $verdicts[] = [
                'name' => $text('name'),
                'version' => $text('version'),
                'verdict' => $text('verdict'),
                'found' => $text('found'),
                'leave_out' => $text('leave_out'),
            ];
        }

        return $verdicts;
    }
}
