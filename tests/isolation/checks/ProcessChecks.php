<?php

/**
 * What a process has once, and each realm for itself: working directory, umask, environment, locale.
 */

declare(strict_types=1);

namespace Howdah\Tests\Isolation;

use Generator;

/**
 * @phpstan-import-type Check from Checks
 */
final class ProcessChecks implements Checks
{
    /** And what is in this one alone: all that is in it changes, where other programs make files. */
    private const FOLDERS = ['/' => 'usr', '/usr' => 'share', '/usr/share' => 'doc', '/etc' => 'passwd', '/var' => 'spool',
        '/var/lib/dpkg' => 'status', '/proc' => 'self'];

    public function __construct(private readonly Probe $probe)
    {
    }

    public function checks(): array
    {
        return [
            'folder' => $this->folder(),
            'umask' => $this->umask(),
            'environment' => $this->environment(),
            'locale' => $this->locale(),
        ]
            + (extension_loaded('gettext') ? ['text domain' => $this->textDomain()] : []);
    }

    /** @return Check */
    private function folder(): Generator
    {
        $before = getcwd() ?: '/';
        $folder = $this->probe->choose('folder', array_keys(self::FOLDERS));
        chdir($folder);
        yield static fn (): array => [
            'getcwd' => [$folder, getcwd()],
            'relative' => [$folder, realpath('.')],
            'entries' => [[self::FOLDERS[$folder]], array_values(array_intersect(self::FOLDERS, scandir('.') ?: []))],
        ];
        chdir($before);
    }

    /** @return Check */
    private function umask(): Generator
    {
        $mask = $this->probe->choose('umask', [0o000, 0o002, 0o022, 0o027, 0o077]);
        $before = umask($mask);
        $file = sys_get_temp_dir() . "/howdah-{$this->probe->mark('umask')}." . getmypid();
        yield static function () use ($mask, $file): array {
            touch($file);
            $mode = fileperms($file);
            unlink($file);

            return ['umask' => [$mask, umask()], 'in effect' => [0o100666 & ~$mask, $mode]];
        };
        umask($before);
    }

    /** @return Check */
    private function environment(): Generator
    {
        $mark = $this->probe->mark('environment');
        $own = 'HOWDAH_' . strtoupper($this->probe->id);
        putenv("HOWDAH_PROBE={$mark}");
        putenv("{$own}={$mark}");
        yield static fn (): array => [
            'one name' => [$mark, getenv('HOWDAH_PROBE')],
            'all' => [
                ['HOWDAH_PROBE', $own],
                array_values(preg_grep('/^HOWDAH_(PROBE|[A-Z]\d)/', array_keys(getenv())) ?: []),
            ],
        ];
        putenv('HOWDAH_PROBE');
        putenv($own);
    }

    /** @return Check */
    private function locale(): Generator
    {
        $category = $this->probe->choose('category', [LC_CTYPE, LC_NUMERIC, LC_TIME, LC_MONETARY]);
        $before = (string) setlocale($category, '0');
        $locale = setlocale($category, $this->probe->choose('locale', ['C', 'C.UTF-8', 'en_US.UTF-8', 'de_DE.UTF-8']), 'C');
        $conventions = localeconv();
        $codes = nl_langinfo(CODESET);
        yield static fn (): array => [
            'name' => [$locale, setlocale($category, '0')],
            'conventions' => [$conventions, localeconv()],
            'character set' => [$codes, nl_langinfo(CODESET)],
        ];
        setlocale($category, $before);
    }

    /** @return Check */
    private function textDomain(): Generator
    {
        $domain = $this->probe->mark('domain');
        $before = textdomain(null);
        textdomain($domain);
        yield static fn (): array => ['domain' => [$domain, textdomain(null)]];
        textdomain($before);
    }
}
