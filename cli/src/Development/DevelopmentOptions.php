<?php

declare(strict_types=1);

namespace Howdah\Cli\Development;

use Howdah\Cli\Failure;
use Howdah\Cli\Listen;
use Howdah\Cli\Nginx;
use Symfony\Component\Console\Command\Command;
use Symfony\Component\Console\Input\InputInterface;
use Symfony\Component\Console\Input\InputOption;

/** What `serve` is told by somebody who develops. */
final readonly class DevelopmentOptions
{
    private const POLL = 'poll';

    /**
     * Settings that --watch relies on; they win over others. opcache knows files by their seconds: one that was just saved is
     * not kept.
     */
    private const WATCH_INI = [
        'opcache.validate_timestamps=1',
        'opcache.revalidate_freq=0',
        'opcache.file_update_protection=2',
        'user_ini.cache_ttl=0',
    ];

    /** Settings for --dev; --ini may say otherwise. Without the last a page that shows its error has the status 200. */
    private const SHOWING_INI = [
        'display_errors=1',
        'display_startup_errors=1',
        'error_reporting=-1',
        'log_errors=1',
        'howdah.fatal_status=500',
    ];

    /**
     * @param bool $polls files are looked at again and again, whatever the kernel tells
     * @param bool $opens the page in a browser, when it is served
     * @param bool $shows errors of PHP on pages
     * @param bool $reloadsPages in browsers
     */
    private function __construct(
        public bool $watches = false,
        public bool $polls = false,
        public bool $opens = false,
        public bool $shows = false,
        public bool $reloadsPages = false,
    ) {
    }

    public static function define(Command $command): void
    {
        $command
            ->addOption('dev', null, InputOption::VALUE_NONE, 'For development: --watch, and errors of PHP on pages; only where'
                . ' nobody else can reach the server')
            ->addOption('watch', null, InputOption::VALUE_OPTIONAL, 'For development: run new code as soon as a file is'
            . ' saved; --watch=poll where the kernel does not tell of changes (network file systems)', false, [self::POLL])
            ->addOption('live-reload', null, InputOption::VALUE_NONE, 'With --watch, and pages in browsers load again')
            ->addOption('open', null, InputOption::VALUE_NONE, 'Open the page in your browser when it is served');
    }

    /** A command without these options develops nothing. */
    public static function fromInput(InputInterface $input, Listen $listen): self
    {
        $shows = self::isSet($input, 'dev');
        if ($shows && !$listen->isLocal()) {
            throw new Failure("--dev shows paths and code to whoever reaches {$listen->toUrl()}: listen on 127.0.0.1, or take"
                . ' --watch instead (in a container that only you reach: --watch --ini=display_errors=1)');
        }
        $watch = $input->hasOption('watch') ? $input->getOption('watch') : false;
        if ($watch !== false && $watch !== null && $watch !== self::POLL) {
            $value = is_string($watch) ? $watch : '';
            throw new Failure("--watch=$value is unknown: give --watch, or --watch=poll");
        }

        $reloadsPages = self::isSet($input, 'live-reload');
        $watches = $shows || $reloadsPages || $watch !== false;

        return new self($watches, $watch === self::POLL, self::isSet($input, 'open'), $shows, $reloadsPages);
    }

    private static function isSet(InputInterface $input, string $name): bool
    {
        return $input->hasOption($name) && $input->getOption($name) === true;
    }

    public function assertServed(Nginx $nginx): void
    {
        if ($this->reloadsPages && !$nginx->has('http_sub_module')) {
            throw new Failure("--live-reload needs nginx's module sub, which {$nginx->path} was built without: leave it out or"
                . ' install nginx of Debian');
        }
    }

    /** @return list<string> of nginx's server block */
    public function locations(): array
    {
        return $this->reloadsPages ? LiveReload::lines() : [];
    }

    /** @return list<string> "key=value", below what the user says */
    public function defaults(): array
    {
        return $this->shows ? self::SHOWING_INI : [];
    }

    /** @return list<string> "key=value", over what the user says */
    public function ini(): array
    {
        return $this->watches ? self::WATCH_INI : [];
    }
}
