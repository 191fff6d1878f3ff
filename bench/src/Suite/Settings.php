<?php

declare(strict_types=1);

namespace Howdah\Bench\Suite;

use Howdah\Bench\Load\Answer;
use Howdah\Bench\Load\Contender;
use Howdah\Bench\Load\WrongAnswer;

/** The same PHP with the same settings on both sides: who is compared must agree, so both are asked. */
final readonly class Settings
{
    /** Extensions that one of the two has by its build, and that a page which does not call them does not notice. */
    private const OF_ONE_SIDE = ['cgi-fcgi', 'howdah', 'pcntl'];

    public function __construct(private Contender $ours, private Contender $theirs)
    {
    }

    /** @return list<string> directives of php.ini that differ, none of them of opcache */
    public function differences(): array
    {
        $ours = $this->ask($this->ours);
        $theirs = $this->ask($this->theirs);
        foreach (['version', 'opcache'] as $fact) {
            if (($ours[$fact] ?? null) !== ($theirs[$fact] ?? null)) {
                throw new WrongAnswer("{$this->ours->name} and {$this->theirs->name} run different PHPs ($fact)");
            }
        }
        $extensions = [...array_diff($this->list($ours, 'extensions'), $this->list($theirs, 'extensions')),
            ...array_diff($this->list($theirs, 'extensions'), $this->list($ours, 'extensions'))];
        $extensions = array_diff($extensions, self::OF_ONE_SIDE);
        if ($extensions !== []) {
            throw new WrongAnswer('an extension is loaded on one side only: ' . implode(', ', $extensions));
        }

        return $this->directives($this->list($ours, 'ini'), $this->list($theirs, 'ini'));
    }

    /**
     * @param array<string> $ours
     * @param array<string> $theirs
     *
     * @return list<string>
     */
    private function directives(array $ours, array $theirs): array
    {
        $differences = [];
        // A directive that only one SAPI has (cgi.*, fastcgi.*) has nothing to be compared with.
        foreach (array_intersect_key($ours, $theirs) as $name => $value) {
            if ($value === $theirs[$name]) {
                continue;
            }
            $difference = "$name: " . json_encode($value) . ' here, ' . json_encode($theirs[$name]) . ' there';
            if (str_starts_with((string) $name, 'opcache.')) {
                throw new WrongAnswer("opcache is set differently ($difference)");
            }
            $differences[] = $difference;
        }

        return $differences;
    }

    /** @return array<mixed> */
    private function ask(Contender $contender): array
    {
        try {
            $contender->start();
            $answer = json_decode(Answer::get($contender->port(), $contender->page->path)->body ?? '', true);
        } finally {
            $contender->stop();
        }

        return is_array($answer) ? $answer : [];
    }

    /**
     * @param array<mixed> $answer
     *
     * @return array<string>
     */
    private function list(array $answer, string $name): array
    {
        $list = $answer[$name] ?? [];

        return is_array($list) ? array_map(fn (mixed $one) => is_scalar($one) ? (string) $one : '', $list) : [];
    }
}
