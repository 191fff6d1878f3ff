<?php

declare(strict_types=1);

namespace Howdah\Cli\Doctor;

use Howdah\Cli\NginxConfig;
use Howdah\Cli\PhpSettings;
use Howdah\Cli\ServeOptions;

/** Whether the kernel lets a server have as many realms as it is told, from what a realm costs on this machine. */
final readonly class LimitsCheck
{
    /** Descriptors that nginx and PHP have before a request comes, generously. */
    private const DESCRIPTORS_OF_A_WORKER = 64;

    /** A request with fewer for files, databases and other services runs out of them early. */
    private const DESCRIPTORS_OF_A_REQUEST = 8;

    /** PHP's heap grows in maps of this size; applications need several. */
    private const CHUNK_BYTES = 2 * 1024 ** 2;
    private const CHUNKS_OF_A_REQUEST = 8;

    /** What a machine bears that has the usual limits. */
    private const ALWAYS_BORNE = 250;

    public function __construct(
        private Kernel $kernel,
        private RealmCost $cost,
        private ServeOptions $options,
        private PhpSettings $settings,
    ) {
    }

    /** Whether it is worth the time that measuring takes: two starts of PHP. */
    public static function mayFail(Kernel $kernel, ServeOptions $options): bool
    {
        return $options->concurrency > self::ALWAYS_BORNE || $options->workers > self::ALWAYS_BORNE
            || NginxConfig::connections() <= $options->concurrency
            || $kernel->addressSpace() !== null || $kernel->promises() !== null;
    }

    /** @return list<Finding> */
    public function findings(): array
    {
        return [
            $this->descriptors(NginxConfig::descriptors(), NginxConfig::connections()),
            $this->maps(),
            $this->addressSpace(),
            ...$this->promises(),
            $this->memory(),
            $this->hugePages(),
        ];
    }

    /** @param int $connections how many of the descriptors nginx may use for connections */
    public function descriptors(int $descriptors, int $connections): Finding
    {
        $realms = $this->options->concurrency;
        $others = $descriptors - $connections - self::DESCRIPTORS_OF_A_WORKER;
        $told = "a worker may open $descriptors files and sockets, $connections of them for clients";
        $remedy = 'raise the limit (`ulimit -Hn`; LimitNOFILE= of a systemd unit), or lower --concurrency';
        if ($connections <= $realms) {
            return Finding::problem('descriptors', "$told: too few for $realms requests at once; $remedy");
        }
        if ($others < $realms * self::DESCRIPTORS_OF_A_REQUEST) {
            return Finding::note('descriptors', "$told: that leaves each of $realms requests at once "
                . max(0, intdiv($others, $realms)) . " for files, databases and other services; $remedy");
        }

        return Finding::ok('descriptors', $told);
    }

    private function maps(): Finding
    {
        $most = $this->kernel->maps();
        $born = $this->cost->baseMaps + (int) ceil($this->cost->maps * $this->options->concurrency);
        $needed = $born + self::CHUNKS_OF_A_REQUEST * $this->options->concurrency;
        if ($most === null || $needed <= $most) {
            return Finding::ok('maps', "{$this->options->concurrency} realms need about $needed memory maps of the "
                . ($most ?? 'unlimited number') . ' that a worker may have');
        }
        $remedy = 'raise it (`sysctl -w vm.max_map_count=' . 2 * $needed . '`) or lower --concurrency';
        if ($born > $most) {
            return Finding::problem('maps', "{$this->options->concurrency} realms have $born memory maps when they are born and"
                . " vm.max_map_count is $most: $remedy");
        }

        return Finding::note('maps', "{$this->options->concurrency} realms need about $needed memory maps when requests use "
            . self::CHUNKS_OF_A_REQUEST * self::CHUNK_BYTES / 1024 ** 2 . " MB each, and vm.max_map_count is $most: $remedy");
    }

    private function addressSpace(): Finding
    {
        $most = $this->kernel->addressSpace();
        if ($most === null) {
            return Finding::ok('address space', 'not limited');
        }
        $needed = $this->cost->baseAddressSpace + $this->cost->addressSpace * $this->options->concurrency;
        $told = "{$this->options->concurrency} realms take {$this->megabytes($needed)} of address space, most of it never"
            . " touched, and the limit is {$this->megabytes($most)}";

        return $needed > $most
            ? Finding::problem('address space', "$told: lift it (`ulimit -v unlimited`) or lower --concurrency")
            : Finding::ok('address space', $told);
    }

    /** @return list<Finding> */
    private function promises(): array
    {
        $left = $this->kernel->promises();
        if ($left === null) {
            return [];
        }
        $needed = $this->options->workers
            * ($this->cost->baseAddressSpace + $this->cost->addressSpace * $this->options->concurrency);
        $told = "vm.overcommit_memory=2 promises no more than {$this->megabytes($left)}, and {$this->workers()} may ask for"
            . " {$this->megabytes($needed)}, most of it never touched";

        return [$needed > $left
            ? Finding::problem('overcommit', "$told: set vm.overcommit_memory=0, or lower --concurrency or --workers")
            : Finding::ok('overcommit', $told)];
    }

    private function memory(): Finding
    {
        $left = $this->kernel->available();
        $needed = $this->options->workers * $this->options->concurrency * $this->cost->memory;
        $told = "{$this->workers()} take {$this->megabytes($needed)} before the application is loaded"
            . ($left === null ? '' : ", and {$this->megabytes($left)} are free");
        if ($left !== null && $needed > $left) {
            return Finding::problem('memory', "$told: lower --concurrency or --workers");
        }
        if ($this->settings->number('memory_limit') < 0) {
            return Finding::note('memory', "$told; memory_limit=-1 lets one request take all of it: set a limit"
                . ' (--ini=memory_limit=128M)');
        }

        return Finding::ok('memory', "$told; a request may take {$this->settings->text('memory_limit')} (memory_limit)");
    }

    private function hugePages(): Finding
    {
        $asked = filter_var(getenv('USE_ZEND_ALLOC_HUGE_PAGES'), FILTER_VALIDATE_INT);
        if ($asked !== false && $asked !== 0 && $this->kernel->hugePages() !== 'never') {
            return Finding::note('huge pages', "USE_ZEND_ALLOC_HUGE_PAGES=$asked in the environment gives each realm pages of"
                . ' 2 MB: unset it');
        }

        return Finding::ok('huge pages', match ($this->kernel->hugePages()) {
            null => 'the kernel has none',
            'always' => 'always; realms ask for small pages',
            default => $this->kernel->hugePages(),
        });
    }

    private function workers(): string
    {
        return "{$this->options->workers} x {$this->options->concurrency} realms";
    }

    private function megabytes(int $bytes): string
    {
        return round($bytes / 1024 ** 2, $bytes < 10 * 1024 ** 2 ? 1 : 0) . ' MB';
    }
}
