<?php

declare(strict_types=1);

namespace Howdah\Bench\Machine;

use Howdah\Cli\Failure;
use Howdah\Cli\Installation;
use Howdah\Cli\Nginx;
use Howdah\Cli\PhpRuntime;
use Howdah\Cli\Program;
use Howdah\Cli\RuntimeFolder;

/** The programs that take part, each of them there: looked for once, before anything starts. */
final readonly class Tools
{
    /** @param array<string, string> $ini settings of php.ini for every server, beside those that Howdah's PHP reads */
    private function __construct(
        public string $module,
        public string $runner,
        public Nginx $nginx,
        public PhpRuntime $php,
        public string $fpm,
        public string $wrk,
        public array $ini = [],
    ) {
    }

    public static function find(string $root): self
    {
        $installation = new Installation("$root/build", "$root/cli", "run `make build` in $root");
        $php = PhpRuntime::probe($installation);
        $php->assertServes();
        $nginx = Nginx::find();
        $nginx->assertLoads($installation->module(), $installation->remedy());
        $fpm = Program::find("php-fpm{$php->series()}") ?? Program::find('php-fpm');
        if ($fpm === null) {
            throw new Failure("php-fpm {$php->series()} is not installed, and Howdah is compared with it:"
                . ' run `packaging/deps bench`');
        }
        $wrk = Program::find('wrk');
        if ($wrk === null) {
            throw new Failure('wrk is not installed, and it makes the load: run `packaging/deps bench`');
        }

        return new self($installation->module(), $installation->runner(), $nginx, $php, $fpm, $wrk);
    }

    /** The folder of the settings that Howdah's PHP reads beside its php.ini: Debian's for each SAPI, which peers are to read, too. */
    public function scanned(): string
    {
        return dirname((string) $this->php->ini) . '/conf.d';
    }

    /**
     * These tools, with more settings for the PHP of every server that is started with them.
     *
     * @param array<string, string> $ini
     */
    public function with(array $ini): self
    {
        return new self($this->module, $this->runner, $this->nginx, $this->php, $this->fpm, $this->wrk, $ini);
    }

    /** PHP_INI_SCAN_DIR of a server: scanned(), and a folder of its own where there are more settings. */
    public function scan(RuntimeFolder $folder): string
    {
        if ($this->ini === []) {
            return $this->scanned();
        }
        if (!is_dir("$folder->path/ini")) {
            mkdir("$folder->path/ini");
            $line = static fn (string $name, string $value): string => "$name=\"$value\"\n";
            $folder->write('ini/bench.ini', implode(array_map($line, array_keys($this->ini), $this->ini)));
        }

        return "{$this->scanned()}:$folder->path/ini";
    }

    public function fpmVersion(): string
    {
        return preg_match('/^PHP (\S+)/', Program::run([$this->fpm, '-v'])->output, $match) === 1 ? $match[1] : 'unknown';
    }

    public function wrkVersion(): string
    {
        // It has no option for this alone: it tells its version with its usage, as a failure.
        $asked = Program::run([$this->wrk, '-v']);

        return preg_match('~wrk (\S+)~', $asked->output . $asked->errors, $match) === 1 ? $match[1] : 'unknown';
    }
}
