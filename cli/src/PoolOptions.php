<?php

declare(strict_types=1);

namespace Howdah\Cli;

use Symfony\Component\Console\Command\Command;
use Symfony\Component\Console\Input\InputInterface;
use Symfony\Component\Console\Input\InputOption;

/** How realms and requests come and go: options that are left to nginx's module where they are not given. */
final readonly class PoolOptions
{
    private const COUNTS = [
        'warm' => [0, 10000, 'Realms of each worker that are born at its start and kept (worker mode: 1, classic: 0)'],
        'max-requests' => [0, 999_999_999, 'Replace a realm after so many requests; 0: never'],
    ];

    private const SIZES = [
        'realm-memory' => 'Replace a realm whose heap is larger after a request, as in 64M; 0: never',
        'worker-memory' => 'Let realms end and requests wait while a worker has more memory, as in 512M; 0: no ceiling',
    ];

    private const TIMES = [
        'idle-timeout' => [0, 1_000_000, 'Seconds until idle realms end, all but the warm ones; 0: never (60)'],
        'boot-timeout' => [1, 86400, 'Worker mode: seconds until a script that has not asked for a request is ended (60)'],
    ];
    private const ABORT = 'client-abort';
    private const ABORTS = ['cancel', 'continue'];
    private const REWIND = 'rewind';
    private const ON = 'howdah_rewind on;';
    public const NO_REWIND = '--rewind means nothing in classic mode: each request begins anew there';

    /**
     * @param list<string> $directives  of nginx's http block
     * @param int|null     $maxRequests 0: never; null: not said
     */
    private function __construct(public array $directives, public ?int $maxRequests)
    {
    }

    public static function define(Command $command): void
    {
        $value = InputOption::VALUE_REQUIRED;
        foreach (self::COUNTS as $name => [, , $text]) {
            $command->addOption($name, null, $value, $text);
        }
        foreach (self::TIMES as $name => [, , $text]) {
            $command->addOption($name, null, $value, $text);
        }
        $command->addOption(self::ABORT, null, $value, 'What becomes of a request whose client leaves: cancel (it ends where it'
            . ' waits), or continue, as under php-fpm (worker mode: cancel, classic: continue)', null, self::ABORTS);
        foreach (self::SIZES as $name => $text) {
            $command->addOption($name, null, $value, $text);
        }
        $command->addOption(self::REWIND, null, InputOption::VALUE_NONE, 'Worker mode: each request finds the application as it'
            . ' had booted, and leaves nothing behind (docs/rewind.md)');
    }

    public static function fromInput(InputInterface $input): self
    {
        $directives = [];
        foreach (self::COUNTS as $name => [$least, $most]) {
            $count = static fn (string $text): string => (string) ServeOptions::number($name, $text, $least, $most);
            $directives[] = self::directive($input, $name, $count);
        }
        foreach (self::TIMES as $name => [$least, $most]) {
            $time = static fn (string $text): string => ServeOptions::number($name, $text, $least, $most) . 's';
            $directives[] = self::directive($input, $name, $time);
        }
        $directives[] = self::directive($input, self::ABORT, self::abort(...));
        foreach (array_keys(self::SIZES) as $name) {
            $directives[] = self::directive($input, $name, static fn (string $text): string => self::size($name, $text));
        }
        if ($input->hasOption(self::REWIND) && $input->getOption(self::REWIND) === true) {
            $directives[] = self::ON;
        }

        $most = $input->hasOption('max-requests') ? $input->getOption('max-requests') : null;

        return new self(array_values(array_filter($directives)), is_string($most) ? (int) $most : null);
    }

    /** What is asked for and has no meaning in that mode; null: nothing. */
    public function warning(Mode $mode): ?string
    {
        return $mode === Mode::Classic && in_array(self::ON, $this->directives, true) ? self::NO_REWIND : null;
    }

    /**
     * Null where the option was not given.
     *
     * @param callable(string): string $check
     */
    private static function directive(InputInterface $input, string $name, callable $check): ?string
    {
        $text = $input->hasOption($name) ? $input->getOption($name) : null;

        return is_string($text) ? 'howdah_' . strtr($name, '-', '_') . ' ' . $check($text) . ';' : null;
    }

    private static function size(string $name, string $text): string
    {
        if (preg_match('/^\d{1,9}[kKmMgG]?$/D', $text) !== 1) {
            throw new Failure("--$name=$text is no size: give bytes, or a number with K, M or G, as in --$name=256M");
        }

        return $text;
    }

    private static function abort(string $text): string
    {
        if (!in_array($text, self::ABORTS, true)) {
            throw new Failure('--' . self::ABORT . "=$text is unknown: give cancel or continue");
        }

        return $text;
    }
}
