<?php

declare(strict_types=1);

namespace Howdah\Tests\Phpt;

use Howdah\Cli\Jit;

/** The PHP of this machine: its version, its programs, and settings that both servers start with. */
final class Machine
{
    public readonly string $version;
    public readonly string $series;
    public readonly string $fpm;
    public readonly string $cli;

    public function __construct(private readonly string $folder, string $config)
    {
        $this->version = self::said([$config, '--version']);
        $this->series = implode('.', array_slice(explode('.', $this->version), 0, 2));
        $this->fpm = self::program("php-fpm$this->series", 'php-fpm');
        $this->cli = self::program("php$this->series", 'php');
        $this->copySettings(dirname(self::said([$config, '--ini-dir']), 2));
    }

    /**
     * What the tests find in the environment, as run-tests.php sets it, and where PHP finds its settings.
     *
     * @return array<string, string>
     */
    public function environment(string $sources): array
    {
        return [
            'PHPRC' => "$this->folder/ini",
            'PHP_INI_SCAN_DIR' => "$this->folder/ini/conf.d",
            'TEST_PHP_EXECUTABLE' => $this->cli,
            'TEST_PHP_EXECUTABLE_ESCAPED' => escapeshellarg($this->cli),
            'TEST_PHP_SRCDIR' => $sources,
            'TEST_PHP_EXTRA_ARGS' => '',
            'SKIP_ONLINE_TESTS' => '1',
            'NO_INTERACTION' => '1',
            'TZ' => '',
            'TMPDIR' => "$this->folder/tmp",
            'TEMP' => "$this->folder/tmp",
            'HOME' => "$this->folder/tmp",
            'PATH' => '/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin',
            'USER' => posix_getpwuid(posix_geteuid())['name'] ?? 'root',
            'LANG' => 'C.UTF-8',
        ];
    }

    /**
     * Beside those of run-tests.php: what php-cli has and php-fpm has not, room for all scripts in opcache, no JIT where
     * none is asked for (its own tests are in tests/engine), no protection of opcache's memory, which 8.4 asks for (of all of
     * it, twice with each compilation: most of the time of a run), and temporary files of our own.
     *
     * @param string|null $jit a kind of `howdah serve --jit=`
     *
     * @return array<string, string>
     */
    public function settings(?string $jit = null): array
    {
        return [
            'max_execution_time' => '0',
            ...self::jit($jit),
            'opcache.memory_consumption' => '1536',
            'opcache.interned_strings_buffer' => '128',
            'opcache.max_accelerated_files' => '100000',
            'opcache.protect_memory' => '0',
            'sys_temp_dir' => "$this->folder/tmp",
            'session.save_path' => "$this->folder/tmp",
        ];
    }

    /**
     * Tests are short: what has run once is hot, as in PHP's own runs with the JIT, and there is room for all of it.
     *
     * @return array<string, string>
     */
    private static function jit(?string $kind): array
    {
        if ($kind === null) {
            return ['opcache.jit' => 'disable', 'opcache.jit_buffer_size' => '0'];
        }
        $settings = [];
        foreach (Jit::settings($kind) as $setting) {
            [$name, $value] = explode('=', $setting, 2);
            $settings[$name] = $value;
        }
        foreach (['loop', 'func', 'return', 'side_exit'] as $what) {
            $settings["opcache.jit_hot_$what"] = '1';
        }

        return [
            ...$settings,
            'opcache.jit_buffer_size' => '256M',
            'opcache.jit_max_root_traces' => '30000',
            'opcache.jit_max_side_traces' => '30000',
        ];
    }

    /** @return list<string> loaded extensions, in lower case */
    public function extensions(): array
    {
        $environment = '';
        foreach (['PHPRC', 'PHP_INI_SCAN_DIR'] as $name) {
            $environment .= "$name=" . escapeshellarg($this->environment('')[$name]) . ' ';
        }
        $lines = explode("\n", self::said(['sh', '-c', $environment . escapeshellarg($this->fpm) . ' -m']));
        $names = array_map(static fn (string $line): string => strtolower(trim($line)), $lines);

        return [...array_values(array_filter($names, static fn (string $name): bool => $name !== '' && $name[0] !== '[')),
            ...(in_array('zend opcache', $names, true) ? ['opcache'] : [])];
    }

    /** No php.ini, as `make test` of PHP has none, and the extensions that Howdah's own SAPI loads. */
    private function copySettings(string $etc): void
    {
        $from = array_values(array_filter(["$etc/embed/conf.d", "$etc/cli/conf.d"], is_dir(...)))[0] ?? null;
        if ($from === null) {
            throw new Failure("$etc has no settings of PHP's extensions");
        }
        mkdir("$this->folder/ini/conf.d", 0777, true);
        mkdir("$this->folder/tmp", 0777, true);
        file_put_contents("$this->folder/ini/php.ini", "; none\n");
        foreach (glob("$from/*.ini") ?: [] as $file) {
            copy($file, "$this->folder/ini/conf.d/" . basename($file));
        }
    }

    private static function program(string ...$names): string
    {
        foreach ($names as $name) {
            foreach (['/usr/sbin', '/usr/local/sbin', '/usr/bin', '/usr/local/bin'] as $folder) {
                if (is_executable("$folder/$name")) {
                    return "$folder/$name";
                }
            }
        }
        throw new Failure('this machine has no ' . implode(' and no ', $names) . ': run `make deps`');
    }

    /** @param list<string> $command */
    public static function said(array $command): string
    {
        $process = proc_open($command, [1 => ['pipe', 'w']], $pipes);
        if ($process === false) {
            throw new Failure("$command[0] cannot be run");
        }
        $text = trim((string) stream_get_contents($pipes[1]));
        if (proc_close($process) !== 0) {
            throw new Failure(implode(' ', $command) . ' has failed');
        }

        return $text;
    }
}
