<?php

declare(strict_types=1);

namespace Howdah\Cli;

use Howdah\Cli\Development\DevelopmentOptions;
use Howdah\Cli\Tls\TlsOptions;
use Symfony\Component\Console\Command\Command;
use Symfony\Component\Console\Input\InputArgument;
use Symfony\Component\Console\Input\InputInterface;
use Symfony\Component\Console\Input\InputOption;

/** What `serve`, and whoever serves or judges as it would, is told on the command line, checked. */
final readonly class ServeOptions
{
    private const AUTO = 'auto';

    /**
     * @param int          $adaptive         how many at once are best is found out, from so many on; 0: it is fixed
     * @param int          $scripts          PHP files beside a worker script that run at once; 0: it answers for them
     * @param list<string> $ini              "key=value"; a key may come again, as `extension` does; of others the last counts
     * @param string|null  $phpIni           a folder; null: the embed SAPI's
     * @param list<string> $sharedExtensions unknown to Howdah, and may be shared by all requests
     * @param SlowLog|null $slowLog          null: there is none
     * @param Tracing|null $tracing          null: there are no traces
     * @param StatusAddress|null $statusAddress null: there is none
     * @param int|null     $maxBody          bytes; 0: no limit; null: what is usual (BodyLimits)
     */
    private function __construct(
        public string $path,
        public Listen $listen,
        public TlsOptions $tls,
        public int $workers,
        public int $concurrency,
        public int $adaptive,
        public int $scripts,
        public PoolOptions $pool,
        public ?Mode $mode,
        public ?string $workerScript,
        public ?string $docroot,
        public array $ini,
        public ?string $phpIni,
        public array $sharedExtensions,
        public int $requestTimeout,
        public int $stopTimeout,
        public ?int $maxBody,
        public AccessLog $accessLog,
        public ?SlowLog $slowLog,
        public ?Tracing $tracing,
        public ?string $user,
        public DevelopmentOptions $development,
        public TrustedProxies $proxies,
        public bool $gzip,
        public LivePage $livePage,
        public ?StatusAddress $statusAddress,
    ) {
    }

    public static function define(Command $command): void
    {
        $value = InputOption::VALUE_REQUIRED;
        $command->addArgument('path', InputArgument::OPTIONAL, "The project's folder", '.');
        ListenOptions::define($command);
        TlsOptions::define($command);
        $command
            ->addOption('workers', null, $value, 'nginx workers, 1 to 1024 (default: as many as there are processors, or'
                . ' as the control group allows)');
        self::defineApplication($command);
        PoolOptions::define($command);
        DevelopmentOptions::define($command);
        TrustedProxies::define($command);
        $command
            ->addOption('gzip', null, InputOption::VALUE_NONE, 'Compress texts for clients that take it')
            ->addOption('stop-timeout', null, $value, 'Seconds that running requests have to end at a stop, 0 to 3600', '30')
            ->addOption('log', null, $value, 'How requests are logged: combined (as most web servers), pretty (for people) or'
                . ' json (default: pretty on a terminal, else combined)', null, array_column(LogStyle::cases(), 'value'))
            ->addOption('no-access-log', null, InputOption::VALUE_NONE, 'Do not log each request');
        SlowLog::define($command);
        Tracing::define($command);
        LivePage::define($command);
        StatusAddress::define($command);
    }

    /** What is said of an application, whoever serves it. */
    public static function defineApplication(Command $command): void
    {
        $value = InputOption::VALUE_REQUIRED;
        $command
            ->addOption('concurrency', null, $value, 'PHP requests at once in each worker, 1 to 10000', '16')
            ->addOption('adaptive', null, $value, 'Find out how many requests at once are best, from so many to --concurrency')
            ->addOption('scripts', null, $value, 'PHP files beside a worker script that each worker runs at once, as in classic'
                . ' mode; 0: the worker script answers for them (default: a quarter of --concurrency)')
            ->addOption('mode', null, $value, 'auto, classic (start anew for each request) or worker (boot once)', 'auto', [
                self::AUTO,
                ...array_column(Mode::cases(), 'value'),
            ])
            ->addOption('worker-script', null, $value, 'The script that boots and loops on frankenphp_handle_request()')
            ->addOption('docroot', null, $value, 'Folder of public files (default: public/, webroot/, web/, html/,'
                . ' htdocs/, public_html/, www/, docroot/, pub/ or Web/ where that has an index.php, else PATH)')
            ->addOption(
                'ini',
                null,
                $value | InputOption::VALUE_IS_ARRAY,
                'KEY=VALUE over php.ini; may be repeated',
                [],
                self::settings(...),
            )
            ->addOption('jit', null, $value, "opcache's JIT, for both modes: off, tracing or function (default: what php.ini"
                . ' says, which is off unless it says otherwise)', null, Jit::names())
            ->addOption('php-ini', null, $value, "Folder with a php.ini and a conf.d to read instead of the embed SAPI's, as"
                . ' /etc/php/8.2/fpm')
            ->addOption('shared-extension', null, $value | InputOption::VALUE_IS_ARRAY, 'An extension that Howdah does not know'
                . ' and that requests may share all the same; may be repeated')
            ->addOption('request-timeout', null, $value, 'Seconds that a request may take, 1 to 86400; 0: no limit', '0')
            ->addOption('max-body', null, $value, 'The largest body of a request, as 64M; 0: no limit (128M, or PHP\'s'
                . ' post_max_size where that is larger). What binds forms is post_max_size alone')
            ->addOption(
                'user',
                null,
                $value,
                'When started as root: the user that workers run as (default: root)',
                null,
                self::users(...),
            );
    }

    /**
     * @param Listen|null $listen where a command without --listen serves: for itself, so that it logs no requests and waits for
     *                            none that is left
     * @param bool        $terminal whether people read standard output
     * @param bool        $colour   whether it may have colours
     */
    public static function fromInput(
        InputInterface $input,
        ?Listen $listen = null,
        bool $terminal = false,
        bool $colour = false,
    ): self {
        $text = static function (string $name) use ($input): ?string {
            $value = $input->hasOption($name) ? $input->getOption($name) : null;

            return is_string($value) ? $value : null;
        };
        $path = $input->getArgument('path');

        $user = self::user($text('user'));
        $address = $listen ?? ListenOptions::fromInput($input);
        $address = $user === null ? $address : $address->underRoot($user);
        $concurrency = self::number('concurrency', $text('concurrency') ?? '', 1, 10000);
        $proxies = TrustedProxies::fromInput($input);
        $development = DevelopmentOptions::fromInput($input, $address);
        $isOwn = $listen === null && $user === null;

        return new self(
            is_string($path) ? $path : '.',
            $address,
            TlsOptions::fromInput($input),
            $text('workers') === null ? (new Processors())->count() : self::number('workers', $text('workers'), 1, 1024),
            $concurrency,
            $text('adaptive') === null ? 0 : self::number('adaptive', $text('adaptive'), 1, $concurrency),
            self::scripts($text('scripts'), $concurrency),
            PoolOptions::fromInput($input),
            self::mode($text('mode') ?? ''),
            $text('worker-script'),
            $text('docroot'),
            [...Jit::settings($text('jit')), ...self::ini($input->getOption('ini'))],
            self::phpIni($text('php-ini')),
            self::extensions($input->getOption('shared-extension')),
            self::number('request-timeout', $text('request-timeout') ?? '', 0, 86400),
            self::number('stop-timeout', $text('stop-timeout') ?? '5', 0, 3600),
            self::maxBody($text('max-body')),
            new AccessLog($listen === null ? self::logStyle($input, $text('log'), $terminal) : null, $colour),
            SlowLog::fromInput($input, $user),
            Tracing::fromInput($input, is_string($path) ? $path : '.'),
            $user,
            $development,
            $proxies,
            $input->hasOption('gzip') && $input->getOption('gzip') === true,
            LivePage::fromInput($input, $address, $isOwn && $development->shows && !$proxies->areTrusted()),
            StatusAddress::fromInput($input, $address),
        );
    }

    public static function number(string $name, string $text, int $least, int $most): int
    {
        if (preg_match('/^\d{1,9}$/', $text) !== 1 || (int) $text < $least || (int) $text > $most) {
            throw new Failure("--$name=$text is out of range: give a whole number from $least to $most");
        }

        return (int) $text;
    }

    private static function scripts(?string $text, int $concurrency): int
    {
        $scripts = $text === null ? ScriptsBeside::usual($concurrency) : self::number('scripts', $text, 0, 10000);
        if ($scripts > 0 && $concurrency === 1) {
            throw new Failure("--scripts=$scripts --concurrency=1: a worker takes one request at a time: leave out one of"
                . ' them');
        }

        return $scripts;
    }

    private static function maxBody(?string $text): ?int
    {
        if ($text === null) {
            return null;
        }
        if (preg_match('/^\d{1,12}[KMG]?$/Di', $text) !== 1) {
            throw new Failure("--max-body=$text is no size: give bytes, or a number with K, M or G, as in --max-body=64M");
        }

        return PhpSettings::bytes($text);
    }

    /** null is auto. */
    private static function mode(string $text): ?Mode
    {
        $mode = Mode::tryFrom($text);
        if ($mode === null && $text !== self::AUTO) {
            throw new Failure("--mode=$text is unknown: give auto, classic or worker");
        }

        return $mode;
    }

    /** null: none. */
    private static function logStyle(InputInterface $input, ?string $text, bool $terminal): ?LogStyle
    {
        $style = $text === null ? ($terminal ? LogStyle::Pretty : LogStyle::Combined) : LogStyle::tryFrom($text);
        if ($style === null) {
            throw new Failure("--log=$text is unknown: give combined, pretty or json");
        }

        return $input->getOption('no-access-log') === true ? null : $style;
    }

    /** @return list<string> */
    private static function ini(mixed $lines): array
    {
        $ini = [];
        foreach (is_array($lines) ? $lines : [] as $line) {
            if (!is_string($line) || preg_match('/^[A-Za-z_][\w.-]*=[^\r\n\0]*$/D', $line) !== 1) {
                $line = is_string($line) ? $line : '';
                throw new Failure("--ini=$line is no setting: give KEY=VALUE on one line, as in --ini=memory_limit=256M");
            }
            $ini[] = $line;
        }

        return $ini;
    }

    private static function phpIni(?string $folder): ?string
    {
        if ($folder === null) {
            return null;
        }
        $path = realpath($folder);
        if ($path === false || !is_readable("$path/php.ini")) {
            throw new Failure("--php-ini=$folder: there is no php.ini in it that can be read: name a folder that has one, as"
                . ' /etc/php/8.2/fpm');
        }

        return $path;
    }

    /** @return list<string> */
    private static function extensions(mixed $names): array
    {
        foreach (is_array($names) ? $names : [] as $name) {
            if (!is_string($name) || preg_match('/^\w[\w .-]*$/D', $name) !== 1) {
                $name = is_string($name) ? $name : '';
                throw new Failure("--shared-extension=$name is no name of an extension: `howdah doctor` names those that are"
                    . ' not known');
            }
        }

        return is_array($names) ? array_values(array_filter($names, is_string(...))) : [];
    }

    private static function user(?string $name): ?string
    {
        if ($name === null) {
            return null;
        }
        if (posix_geteuid() !== 0) {
            throw new Failure("--user=$name: only root may run workers as another user: leave it out, or start howdah as root");
        }
        if (preg_match('/^[\w.-]+$/', $name) !== 1 || posix_getpwnam($name) === false) {
            throw new Failure("--user=$name: there is no such user on this machine: name one that `getent passwd` lists");
        }

        return $name;
    }

    /**
     * What howdah-run is to be told, so that PHP starts in it as in nginx: it refuses extensions where requests run at once.
     * It runs scripts of ours, as the user of this command, maybe root: no code of the application comes before or after them.
     *
     * @param  int|null     $concurrency another than was asked for
     * @param  list<string> $shared      more extensions that may be shared
     * @return list<string>
     */
    public function engineArguments(?int $concurrency = null, array $shared = []): array
    {
        return [
            '--realms=' . ($concurrency ?? $this->concurrency),
            ...($this->phpIni === null ? [] : ["--php-ini={$this->phpIni}"]),
            ...array_map(static fn (string $setting): string => "--ini=$setting", $this->ini),
            '--ini=auto_prepend_file=',
            '--ini=auto_append_file=',
            // What requests must not do, the command's own question may.
            '--ini=open_basedir=',
            '--ini=disable_functions=',
            '--ini=output_handler=',
            ...array_map(
                static fn (string $name): string => "--shared-extension=$name",
                [...$this->sharedExtensions, ...$shared],
            ),
        ];
    }

    /** @return list<string> for a shell that completes them: of the command's own PHP, which is near enough */
    private static function settings(): array
    {
        return array_map(static fn (string $name): string => "$name=", array_keys(ini_get_all(null, false) ?: []));
    }

    /** @return list<string> for a shell that completes them */
    private static function users(): array
    {
        preg_match_all('/^[\w.-]+(?=:)/m', (string) @file_get_contents('/etc/passwd'), $names);

        return $names[0];
    }

    /** A person who starts a server as root should know what that means; null: it is not so. */
    public function rootWarning(): ?string
    {
        return posix_geteuid() === 0 && $this->user === null
            ? 'started as root, so the application runs as root: give --user=www-data, or start it as another user'
            : null;
    }

    /** Workers that run as another user answer every request with an error where they may not read the script. */
    public function assertUserReads(string $script): void
    {
        if ($this->user !== null && !$this->workersMay('-r', $script)) {
            throw new Failure("the user {$this->user} (--user) may not read $script: let it, in its folder and those above");
        }
    }

    /** @param string $test of test(1): -r, -w, -x */
    public function workersMay(string $test, string $path): bool
    {
        return $this->thoseThatWorkersMay($test, [$path]) !== [];
    }

    /**
     * @param  string       $test of test(1)
     * @param  list<string> $paths
     * @return list<string>
     */
    public function thoseThatWorkersMay(string $test, array $paths): array
    {
        $setpriv = Program::find('setpriv');
        $group = (string) (posix_getpwnam($this->user ?? '')['gid'] ?? '');
        $asUser = $this->user === null || $setpriv === null
            ? []
            : [$setpriv, "--reuid={$this->user}", "--regid=$group", '--init-groups'];
        $each = 'for path; do test "$0" "$path" && echo yes || echo no; done';
        $answers = Program::run([...$asUser, Program::find('sh') ?? 'sh', '-c', $each, $test, ...$paths])->output;
        $may = array_keys(explode("\n", $answers), 'yes', true);

        return array_values(array_intersect_key($paths, array_flip($may)));
    }
}
