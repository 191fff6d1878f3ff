<?php

declare(strict_types=1);

namespace Howdah\Cli\Doctor;

use Composer\Semver\Semver;
use Howdah\Cli\PhpRuntime;
use UnexpectedValueException;

/** Whether libphp, whose extensions need not be those of the command line, has what a project's composer.json asks for. */
final readonly class PlatformCheck
{
    private const NAMED = 3;

    public function __construct(
        private PhpRuntime $php,
        private ?Platform $platform,
        private ?string $phpIni = null,
    ) {
    }

    /** @return list<Finding> */
    public function findings(): array
    {
        if ($this->platform === null) {
            return [];
        }
        if (!$this->platform->isInstalled) {
            $missing = 'the packages of the project are not installed: run `composer install` there';

            return [$this->platform->isAwaited ? Finding::problem('packages', $missing) : Finding::note('packages', $missing)];
        }
        $findings = [];
        $asked = [];
        foreach ($this->platform->requirements as ['what' => $what, 'constraint' => $constraint, 'by' => $by]) {
            $asked[$what] = true;
            if (!$this->has($what, $constraint)) {
                $findings["$what $constraint"]['what'] = $what;
                $findings["$what $constraint"]['constraint'] = $constraint;
                $findings["$what $constraint"]['by'][] = $by;
            }
        }
        if ($findings === []) {
            return $asked === [] ? [] : [Finding::ok('packages', count($asked) . ' demands on PHP and its extensions are met')];
        }

        return array_map(
            fn (array $one): Finding => $one['what'] === 'ext-pcntl'
                ? Finding::note('packages', $this->who($one['by']) . ' ext-pcntl, whose functions no web server has, php-fpm'
                    . ' neither: what uses them is for the command line')
                : Finding::problem('packages', $this->missing(...$one)),
            array_values($findings),
        );
    }

    private function has(string $what, string $constraint): bool
    {
        $version = $this->version($what);
        if ($version === null) {
            return false;
        }
        try {
            return Semver::satisfies($version, $constraint);
        } catch (UnexpectedValueException) {
            // A version or a constraint of a form of its own (as that of ext-dom, 20031129): it is there, and that must do.
            return true;
        }
    }

    /** Without what a distribution has added to it; "0" where the extension has none, as Composer takes it; null: not loaded. */
    private function version(string $what): ?string
    {
        if ($what === 'php') {
            return (string) preg_replace('/^([^~+-]+).*$/', '$1', $this->php->version);
        }
        foreach ($this->php->extensions as $name => $version) {
            if ('ext-' . str_replace(' ', '-', strtolower($name)) === $what) {
                return preg_match('/^\d+(\.\d+)*/', $version ?? '', $match) === 1 ? $match[0] : '0';
            }
        }

        return null;
    }

    /** @param list<string> $by */
    private function missing(string $what, string $constraint, array $by): string
    {
        $version = $this->version($what);
        $needs = "{$this->who($by)} $what $constraint";
        if ($what === 'php') {
            return "$needs, and libphp is PHP $version: install packages that suit it (`composer update`), or another PHP";
        }
        if ($version !== null) {
            return "$needs, and libphp has version $version: install packages that suit it (`composer update`), or another"
                . ' version of the extension';
        }
        $name = substr($what, 4);

        return "$needs, which libphp does not load: "
            . (extension_loaded($name) ? 'the command line does; ' : "`apt-get install php{$this->php->series()}-$name`, and ")
            . $this->load($name);
    }

    /** @param list<string> $by */
    private function who(array $by): string
    {
        $more = count($by) - self::NAMED;
        $who = implode(', ', array_slice($by, 0, self::NAMED)) . ($more > 0 ? " and $more more" : '');

        return "$who " . (count($by) === 1 ? 'needs' : 'need');
    }

    /** For where this server's settings are: of "/etc/php/8.2/fpm" Debian's tools know the last part. */
    private function load(string $name): string
    {
        if ($this->phpIni === null) {
            return "`phpenmod -s embed $name`";
        }

        return preg_match('#^/etc/php/[\d.]+/(\w+)$#D', $this->phpIni, $sapi) === 1
            ? "`phpenmod -s $sapi[1] $name`"
            : "load it in $this->phpIni/php.ini or a file of $this->phpIni/conf.d";
    }
}
