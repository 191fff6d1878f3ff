<?php

declare(strict_types=1);

namespace Howdah\Cli\Doctor;

use Howdah\Cli\PhpRuntime;

/** Whether opcache, through which realms share compiled code, is large enough for a project, and what its settings mean here. */
final readonly class OpcacheCheck
{
    /** Bytes of opcache's memory for a byte of source: measured with Laravel's and Symfony's, rounded up. */
    private const COMPILED_PER_SOURCE = 3;

    /** @param PhpFiles|null $files of the project, where there is one */
    public function __construct(
        private PhpRuntime $php,
        private ?PhpFiles $files,
    ) {
    }

    /** @return list<Finding> */
    public function findings(): array
    {
        return [...$this->size(), ...$this->timestamps(), ...$this->jit()];
    }

    /** @return list<Finding> */
    private function size(): array
    {
        $settings = $this->php->settings;
        $memory = $settings->number('opcache.memory_consumption');
        $strings = $settings->number('opcache.interned_strings_buffer');
        $keys = $this->php->opcacheKeys ?? $settings->number('opcache.max_accelerated_files');
        $findings = [];
        if ($this->files !== null && $this->files->count > $keys) {
            $findings[] = Finding::note('opcache', "opcache has room for $keys scripts, and the project has"
                . " {$this->files->count} PHP files: those that do not fit are compiled for each request; set"
                . " opcache.max_accelerated_files={$this->rounded($this->files->count, 1000)}");
        }
        $needed = $this->files === null ? 0 : intdiv(self::COMPILED_PER_SOURCE * $this->files->bytes, 1024 ** 2);
        if ($needed > $memory - $strings) {
            $findings[] = Finding::note('opcache', "opcache.memory_consumption=$memory leaves " . max(0, $memory - $strings)
                . " MB for code beside $strings MB of strings, and the project's {$this->files?->count} PHP files may take"
                . " $needed: when it is full, scripts are compiled for each request; set it to"
                . " {$this->rounded($needed + $strings, 64)}");
        }

        return $findings !== [] ? $findings : [
            Finding::ok('opcache', "{$this->php->opcache}: $memory MB, $strings MB of them for strings; room for $keys scripts"
                . ($this->files === null ? '' : ", the project has {$this->files->count} PHP files")),
        ];
    }

    /** @return list<Finding> */
    private function timestamps(): array
    {
        $settings = $this->php->settings;
        if (!$settings->isOn('opcache.validate_timestamps')) {
            return [Finding::note('new code', 'opcache.validate_timestamps=0: changed files are not noticed; after a deployment'
                . ' start Howdah anew')];
        }

        return [Finding::ok('new code', 'changed files are noticed after '
            . "{$settings->number('opcache.revalidate_freq')} s in classic mode; a worker script sees them when it boots")];
    }

    /**
     * What the engine replaces it says itself: that is among PHP's warnings.
     *
     * @return list<Finding>
     */
    private function jit(): array
    {
        $settings = $this->php->settings;
        $kind = $settings->text('opcache.jit');
        $size = $settings->number('opcache.jit_buffer_size');
        if ($size === 0 || in_array(strtolower($kind), ['', '0', 'off', 'no', 'false', 'disable'], true)) {
            return [Finding::ok('JIT', 'off')];
        }

        return [Finding::ok('JIT', "opcache.jit=$kind with " . $this->megabytes($size))];
    }

    private function megabytes(int $bytes): string
    {
        return round($bytes / 1024 ** 2, 1) . ' MB';
    }

    private function rounded(int $number, int $to): int
    {
        return (int) ceil($number / $to) * $to;
    }
}
