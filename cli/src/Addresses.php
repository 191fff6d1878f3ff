<?php

declare(strict_types=1);

namespace Howdah\Cli;

use Howdah\Cli\Htaccess\Rewriting;

/**
 * Which address is whose: the locations of a project's server. docs/serve.md has the table; the module decides by what is there
 * (howdah_files, nginx/files.c).
 *
 * There is one location with howdah_pass for each mode, so one pool of realms: --concurrency and --scripts mean what they say.
 */
final readonly class Addresses
{
    private const REFUSED = 'howdah_refused';
    private const FRONT = 'howdah_front';

    private ScriptsBeside $beside;

    /** @var list<array{string, string}> */
    private array $refused;

    /** @var list<array{string, string, bool}> */
    private array $fronts;

    public function __construct(private Project $project, ServeOptions $options, Protection $protection)
    {
        $this->refused = $protection->rules();
        $this->fronts = $project->mode === Mode::Worker ? [] : $protection->fronts($this->front());
        $this->beside = new ScriptsBeside($project, $options->scripts);
    }

    /** @return list<string> at the level of http */
    public function maps(): array
    {
        $fronts = $this->fronts === [] ? [] : [
            '    default ' . NginxString::withoutVariables($this->front()) . ';',
            ...array_map($this->frontOf(...), $this->fronts),
        ];

        return [
            ...$this->map(
                '# Files that are not published: the status of the answer, or what is no file answers.',
                '$howdah_file $' . self::REFUSED,
                $this->rules(),
            ),
            ...$this->map(
                "# The front controller of each address, as folders' .htaccess files name it.",
                '$uri $' . self::FRONT,
                $fronts,
            ),
        ];
    }

    /** @param array{string, string, bool} $front */
    private function frontOf(array $front): string
    {
        $script = NginxString::withoutVariables($front[1]);
        $rest = $front[2] ? '${' . Rewriting::REST . '}"' : '"';

        return "    {$this->quoted("~$front[0]")} " . substr($script, 0, -1) . "$rest;";
    }

    /**
     * @param  list<string> $lines
     * @return list<string>
     */
    private function map(string $comment, string $variables, array $lines): array
    {
        return $lines === [] ? [] : [$comment, "map $variables {", '    volatile;', ...$lines, '}', ''];
    }

    /** The address of the site's front controller; empty: there is none. */
    private function front(): string
    {
        return $this->project->script === null ? '' : '/' . basename($this->project->script);
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
        $front = $this->fronts === [] ? $this->front() : '$' . self::FRONT;

        return [
            'index index.html;',
            '',
            ...$this->location($front === '' ? '' : " front=$front"),
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
