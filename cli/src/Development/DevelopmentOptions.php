<?php

declare(strict_types=1);

namespace Howdah\Cli\Development;

use Howdah\Cli\Failure;
use Symfony\Component\Console\Command\Command;
use Symfony\Component\Console\Input\InputInterface;
use Symfony\Component\Console\Input\InputOption;

/** What `serve` is told by somebody who develops. */
final readonly class DevelopmentOptions
{
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

    /**
     * @param bool $polls files are looked at again and again, whatever the kernel tells
     * @param bool $opens the page in a browser, when it is served
     */
    private function __construct(
        public bool $watches = false,
        public bool $polls = false,
        public bool $opens = false,
    ) {
    }

    public static function define(Command $command): void
    {
        $command
            ->addOption('watch', null, InputOption::VALUE_OPTIONAL, 'For development: run new code as soon as a file is'
            . ' saved; --watch=poll where the kernel does not tell of changes (network file systems)', false)
            ->addOption('open', null, InputOption::VALUE_NONE, 'Open the page in your browser when it is served');
    }

    /** A command without these options develops nothing. */
    public static function fromInput(InputInterface $input): self
    {
        $watch = $input->hasOption('watch') ? $input->getOption('watch') : false;
        if ($watch !== false && $watch !== null && $watch !== 'poll') {
            $value = is_string($watch) ? $watch : '';
            throw new Failure("--watch=$value is unknown: give --watch, or --watch=poll");
        }

        $opens = $input->hasOption('open') && $input->getOption('open') === true;

        return new self($watch !== false, $watch === 'poll', $opens);
    }

    /** @return list<string> "key=value" */
    public function ini(): array
    {
        return $this->watches ? self::WATCH_INI : [];
    }
}
