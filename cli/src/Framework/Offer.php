<?php

declare(strict_types=1);

namespace Howdah\Cli\Framework;

/** A framework's worker script, and whether it may be taken without being asked for. */
final readonly class Offer
{
    /**
     * @param string|null           $script      an absolute path; null: there is none
     * @param string                $reason      why it is there, or why not, to tell the user
     * @param array<string, string> $environment what the script expects to find
     * @param bool                  $isSafe      false: it is taken with --mode=worker alone
     */
    private function __construct(
        public ?string $script,
        public string $reason,
        public array $environment,
        public bool $isSafe,
    ) {
    }

    /** @param array<string, string> $environment */
    public static function safe(string $script, string $reason, array $environment): self
    {
        return new self($script, $reason, $environment, true);
    }

    /**
     * @param array<string, string> $environment
     * @param string                $objection   why classic mode is taken instead
     */
    public static function onDemand(string $script, string $objection, array $environment): self
    {
        return new self($script, "$objection: --mode=worker boots it once", $environment, false);
    }

    public static function none(string $reason): self
    {
        return new self(null, $reason, [], false);
    }
}
