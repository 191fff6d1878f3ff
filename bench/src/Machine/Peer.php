<?php

declare(strict_types=1);

namespace Howdah\Bench\Machine;

use Howdah\Cli\Program;

/** A server that no Debian archive has: its program is in PATH, or a variable names it. */
enum Peer: string
{
    case FrankenPhp = 'frankenphp';
    case RoadRunner = 'rr';
    case Unit = 'unitd';

    /** Its path; null when it is not here. */
    public function program(): ?string
    {
        $named = self::named($this->variable());

        return $named === null ? Program::find($this->value) : (is_file($named) && is_executable($named) ? $named : null);
    }

    /** What this machine lacks to run it; null when nothing is. */
    public function missing(): ?string
    {
        if ($this->program() !== null) {
            return null;
        }
        $named = self::named($this->variable());

        return $named === null
            ? "there is no `$this->value` in PATH, and {$this->variable()} names none: {$this->source()}"
            : "{$this->variable()} names $named, which is no program";
    }

    /** Where a user gets it. */
    private function source(): string
    {
        return match ($this) {
            self::FrankenPhp => 'https://github.com/php/frankenphp/releases has it, '
                . 'https://frankenphp.dev/docs/compile/ says how it is built',
            self::RoadRunner => 'https://github.com/roadrunner-server/roadrunner/releases has it',
            self::Unit => 'https://unit.nginx.org/installation/ says where it is to be had',
        };
    }

    /** What it says of itself, on one line; null when it is not here. */
    public function version(): ?string
    {
        $program = $this->program();
        if ($program === null) {
            return null;
        }
        if ($this === self::FrankenPhp) {
            return self::frankenPhp($program);
        }
        $asked = Program::run([$program, '--version']);
        // Unit tells on standard error, and how it was configured with it.
        $said = strtok(trim($asked->output . "\n" . $asked->errors), "\n");

        return $said === false ? "$this->value of unknown version" : trim($said);
    }

    /**
     * `version` is a word of Caddy's, which FrankenPHP is a module of: a release says all three there, by a text that it was
     * built with; one that was built otherwise says Caddy's, and its own is among the modules of `build-info`. Its PHP is
     * asked through the server.
     */
    private static function frankenPhp(string $program): string
    {
        $asked = Program::run([$program, 'version']);
        $said = trim((string) preg_replace('/ h1:\S+/', '', (string) strtok(trim("$asked->output\n$asked->errors"), "\n")));
        if (str_contains($said, 'FrankenPHP')) {
            return $said;
        }
        $modules = Program::run([$program, 'build-info'])->output;
        $module = static fn (string $name): ?string =>
            preg_match("~^dep\s+$name\s+(\S+).*(?:\n=>\s+(\S+))?~m", $modules, $found) === 1
                ? $found[1] . (isset($found[2]) ? " (replaced by $found[2])" : '')
                : null;
        $own = $module('github\.com/dunglas/frankenphp');
        $caddy = $module('github\.com/caddyserver/caddy/v2') ?? ($said === '' ? 'of unknown version' : $said);

        return 'FrankenPHP ' . ($own ?? 'of unknown version') . " in Caddy $caddy";
    }

    /** The path that a variable of the environment holds; null when it holds none. */
    public static function named(string $variable): ?string
    {
        $path = getenv($variable);

        return $path === false || $path === '' ? null : $path;
    }

    public function variable(): string
    {
        return 'HOWDAH_BENCH_' . strtoupper($this->name);
    }
}
