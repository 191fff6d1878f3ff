<?php

declare(strict_types=1);

namespace Howdah\Bench\Suite;

use Closure;
use Howdah\Bench\Load\Contender;
use Howdah\Bench\Load\WrongAnswer;
use Howdah\Bench\Server\FrankenPhp;
use Howdah\Cli\Failure;

/**
 * What the PHPs that are compared run with, asked through their servers before anything is measured. Howdah's and php-fpm's
 * must agree, or there is no run. A peer that brings a PHP of its own may differ, which the report tells; one without opcache
 * is refused.
 */
final class Settings
{
    /** @var array<string, string> by kind of server */
    private array $refusals = [];

    /** @param array<string, Contender> $peers by kind of server (Running::php()) */
    public function __construct(
        private readonly Contender $ours,
        private readonly Contender $theirs,
        private readonly array $peers = [],
    ) {
    }

    /**
     * @param Closure(string): void $tell
     *
     * @return array<string, string> for the report
     */
    public function ask(Closure $tell): array
    {
        $ours = Interpreter::behind($this->ours);
        $theirs = Interpreter::behind($this->theirs);
        $report = ['PHP of Howdah' => $ours->describe()];
        $report['same settings for Howdah and php-fpm'] = 'opcache and extensions are the same; other differences: '
            . (implode('; ', self::agreed($ours, $theirs)) ?: 'none');
        foreach ($this->peers as $kind => $peer) {
            if ($peer->missing() === null) {
                $report["PHP of $kind"] = $this->peer($kind, $peer, $ours);
                $tell("PHP of $kind: " . $report["PHP of $kind"]);
            }
        }

        return $report;
    }

    /** @return array<string, string> why, by kind of server: those that take no part */
    public function refusals(): array
    {
        return $this->refusals;
    }

    private function peer(string $kind, Contender $peer, Interpreter $ours): string
    {
        try {
            $its = Interpreter::behind($peer);
        } catch (Failure | WrongAnswer $reason) {
            // Its suites will fail by themselves, and say so.
            return "unknown, it could not be asked: {$reason->getMessage()}";
        }
        $refusal = $its->refusal();
        if ($refusal !== null) {
            $way = '; ' . FrankenPhp::INI . ' may name a folder with an .ini file that does';
            $this->refusals[$kind] = $refusal .= $kind === FrankenPhp::PHP ? $way : '';
        }

        return $its->describe() . '; beside Howdah\'s: ' . (implode('; ', $its->differences($ours)) ?: 'no difference')
            . ($refusal === null ? '' : "; refused: $refusal");
    }

    /** @return list<string> directives of php.ini that differ, none of them of opcache */
    public static function agreed(Interpreter $ours, Interpreter $theirs): array
    {
        if ($ours->version !== $theirs->version || $ours->opcache !== $theirs->opcache) {
            $fact = $ours->version !== $theirs->version ? 'version' : 'opcache';
            throw new WrongAnswer("Howdah and php-fpm run different PHPs ($fact)");
        }
        $extensions = [...$ours->lacking($theirs), ...$theirs->lacking($ours)];
        if ($extensions !== []) {
            throw new WrongAnswer('an extension is loaded on one side only: ' . implode(', ', $extensions));
        }
        $opcache = $theirs->directives($ours, true);
        if ($opcache !== []) {
            throw new WrongAnswer("opcache is set differently ($opcache[0])");
        }

        return $theirs->directives($ours, false);
    }
}
