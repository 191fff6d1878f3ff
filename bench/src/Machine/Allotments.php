<?php

declare(strict_types=1);

namespace Howdah\Bench\Machine;

use Closure;
use Howdah\Cli\Failure;

/** What servers are given: a processor for each worker, where nothing else is asked for and the kernel permits it. */
final class Allotments
{
    private const USUAL = 1;

    /** @var array<int, Allotment> by processors, where memory is not given */
    private array $made = [];

    private function __construct(
        private readonly ?int $perWorker,
        private readonly ?string $memory,
        private readonly string $words,
    ) {
    }

    /**
     * @param string|null $processors for each worker of a server: a number, or `all`; null: as usual
     * @param string|null $memory     for each server, as 1G; null: all
     */
    public static function of(?string $processors, ?string $memory): self
    {
        $number = match ($processors) {
            null => self::USUAL,
            'all' => null,
            default => filter_var($processors, FILTER_VALIDATE_INT, ['options' => ['min_range' => 1]]),
        };
        if ($number === false) {
            throw new Failure("--cpus=$processors: it has to be a number, at least 1, or `all`");
        }
        $words = $number === null ? 'all processors' : "$number of the processors for each of its workers";
        $self = new self($number, $memory, $words . ($memory === null ? '' : ", $memory of memory"));
        try {
            $self->for(1);
        } catch (Failure $refusal) {
            if ($processors !== null || $memory !== null) {
                throw $refusal;
            }

            return new self(null, null, "all processors ({$refusal->getMessage()})");
        }

        return $self;
    }

    /** In one line, for the report. */
    public function describe(): string
    {
        return $this->words;
    }

    /**
     * Starts a server with so many workers.
     *
     * @template T
     * @param  Closure(): T $start
     * @return T
     */
    public function start(int $workers, Closure $start): mixed
    {
        return $this->for($workers)->inside($start);
    }

    /**
     * How to start a load generator for a server with so many workers: on the processors that are left, so that the kernel
     * puts neither in the other's way.
     *
     * @return list<string> what comes before the command
     */
    public function beside(int $workers): array
    {
        $rest = $this->perWorker === null ? '' : Allotment::rest($this->perWorker * $workers);

        return $rest === '' ? [] : ['taskset', '-c', $rest];
    }

    /** How many a server with so many workers has. */
    public function processors(int $workers): int
    {
        $available = Allotment::processors();

        return $this->perWorker === null ? $available : min($available, $this->perWorker * $workers);
    }

    public function end(): void
    {
        array_map(static fn (Allotment $one) => $one->end(), $this->made);
        $this->made = [];
    }

    private function for(int $workers): Allotment
    {
        $processors = $this->processors($workers);
        $some = $processors < Allotment::processors();

        $make = fn (): Allotment => Allotment::of($some ? $processors : null, $this->memory);

        // Several may have the same processors, in turn; memory is what each keeps while others are measured.
        return $this->memory === null ? $this->made[$processors] ??= $make() : $this->made[] = $make();
    }
}
