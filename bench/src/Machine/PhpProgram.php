<?php

declare(strict_types=1);

namespace Howdah\Bench\Machine;

use Howdah\Cli\Program;
use Howdah\Cli\RuntimeFolder;

/**
 * php on the command line, for servers that are PHP programs or start some: with the php.ini and the extensions that
 * Howdah's PHP reads, and opcache as there. All by the environment: who starts php by itself hands on no options.
 */
final readonly class PhpProgram
{
    public function __construct(private Tools $tools)
    {
    }

    public function path(): string
    {
        return Program::find("php{$this->tools->php->series()}") ?? PHP_BINARY;
    }

    /** Null when it has none. */
    public function version(Extension $extension): ?string
    {
        $named = Peer::named($extension->variable());
        $load = $named === null ? [] : ['-d', "extension=$named"];
        $scan = ['env', "PHP_INI_SCAN_DIR={$this->tools->scanned()}"];
        $asked = "echo phpversion('$extension->value');";
        $version = Program::run([...$scan, $this->path(), ...$load, '-c', $this->ini(), '-r', $asked])->output;

        return preg_match('/^\d\S*$/', $version) === 1 ? $version : null;
    }

    /** Why it has none; null when it has it. */
    public function missing(Extension $extension): ?string
    {
        return $this->version($extension) !== null ? null
            : "PHP {$this->tools->php->series()} has no extension $extension->value, and {$extension->variable()} names none"
                . " that it can load{$extension->without()}";
    }

    /**
     * @param RuntimeFolder $folder gets an .ini file
     *
     * @return array<string, string> for php and whatever php it starts
     */
    public function environment(RuntimeFolder $folder, Extension $extension): array
    {
        $named = Peer::named($extension->variable());
        $lines = ['opcache.enable_cli=1', ...($named === null ? [] : ["extension=$named"])];
        mkdir("$folder->path/conf.d");
        $folder->write('conf.d/bench.ini', implode("\n", $lines) . "\n");

        return [
            'PHPRC' => dirname($this->ini()),
            'PHP_INI_SCAN_DIR' => "{$this->tools->scan($folder)}:$folder->path/conf.d",
        ];
    }

    /**
     * @param list<string> $names of settings
     *
     * @return array<string, string> what Howdah's PHP has for them; those that it does not know are left out
     */
    public function settings(array $names): array
    {
        $script = 'foreach (array_slice($argv, 1) as $one) if (ini_get($one) !== false) echo "$one=", ini_get($one), "\n";';
        $scan = ['env', "PHP_INI_SCAN_DIR={$this->tools->scanned()}"];
        $asked = Program::run([...$scan, $this->path(), '-c', $this->ini(), '-r', $script, ...$names]);
        preg_match_all('/^([^=\n]+)=(.*)$/m', $asked->output, $found);

        return array_combine($found[1], $found[2]);
    }

    private function ini(): string
    {
        return (string) $this->tools->php->ini;
    }
}
