<?php

declare(strict_types=1);

namespace Howdah\Cli;

/**
 * Which address is whose: the locations of a project's server. docs/serve.md has the table; the module decides by what is there
 * (howdah_files, nginx/files.c).
 *
 * There is one location with howdah_pass for each mode, so one pool of realms: --concurrency and --scripts mean what they say.
 */
final readonly class Addresses
{
    private const REFUSED = 'howdah_refused';

    private ScriptsBeside $beside;

    /** @var list<array{string, string}> */
    private array $refused;

    public function __construct(private Project $project, ServeOptions $options, Protection $protection)
    {
        $this->refused = $protection->rules();
        $this->beside = new ScriptsBeside($project, $options->scripts);
    }

    /** @return list<string> at the level of http */
    public function maps(): array
    {
        $rules = $this->rules();

        return $rules === [] ? [] : [
            '# Files that are not published: the status of the answer, or what is no file answers.',
            'map $howdah_file $' . self::REFUSED . ' {',
            '    volatile;',
            ...$rules,
            '}',
            '',
        ];
    }

    /** @return list<string> */
    public function locations(): array
    {
        return $this->project->mode === Mode::Worker ? $this->worker() : $this->classic();
    }

    /** @return list<string> lines of the map */
    private function rules(): array
    {
        $beside = $this->project->mode === Mode::Worker ? $this->beside->refused() : [];
        $all = [...array_map(static fn (string $regex): array => [$regex, 'front'], $beside), ...$this->refused];

        return array_map(
            fn (array $rule): string => "    {$this->quoted("~$rule[0]")} {$this->quoted($rule[1])};",
            $all,
        );
    }

    /** @return list<string> */
    private function worker(): array
    {
        return [
            ...$this->location($this->beside->options()),
            '    howdah_pass worker ' . NginxString::literal((string) $this->project->script) . ';',
            '}',
            ...$this->beside->location(),
        ];
    }

    /** @return list<string> */
    private function classic(): array
    {
        $script = $this->project->script;

        return [
            'index index.html;',
            '',
            ...$this->location($script === null ? '' : ' front=/' . basename($script)),
            '    howdah_pass classic $document_root$uri;',
            '}',
        ];
    }

    /** @return list<string> */
    private function location(string $options): array
    {
        return [
            '# Files are sent, PHP files run; nothing hidden and no source of PHP is sent.',
            'location / {',
            "    howdah_files htaccess$options" . ($this->rules() === [] ? '' : ' refused=$' . self::REFUSED) . ';',
        ];
    }

    private function quoted(string $text): string
    {
        return NginxString::literal($text);
    }
}
