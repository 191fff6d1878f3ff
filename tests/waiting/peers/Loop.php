<?php

declare(strict_types=1);

namespace Howdah\WaitingTests\Peers;

/** An event loop that a slow peer needs: streams that can be read, and times. For fewer than 1,000 streams, as select(2). */
final class Loop
{
    /** @var array<int, array{resource, callable(resource): void}> */
    private array $readers = [];

    /** @var list<array{float, callable(): void}> */
    private array $timers = [];

    private bool $isInHurry = false;

    /**
     * @param resource                 $stream
     * @param callable(resource): void $then  called whenever there is something to read, or its end
     */
    public function onReadable($stream, callable $then): void
    {
        $this->readers[(int) $stream] = [$stream, $then];
    }

    /**
     * What comes is left where it is, until onReadable() asks for it again.
     *
     * @param resource $stream
     */
    public function ignore($stream): void
    {
        unset($this->readers[(int) $stream]);
    }

    /** @param resource $stream */
    public function close($stream): void
    {
        unset($this->readers[(int) $stream]);
        fclose($stream);
    }

    /** @param callable(): void $then */
    public function after(float $seconds, callable $then): void
    {
        $this->timers[] = [microtime(true) + $seconds, $then];
    }

    /** From now on nothing is late, what waits for its time included. */
    public function hurry(): void
    {
        $this->isInHurry = true;
    }

    public function run(): never
    {
        while (true) {
            $readable = array_column($this->readers, 0);
            $none = null;
            $next = min([microtime(true) + 1.0, ...array_column($this->timers, 0)]);
            $microseconds = $this->isInHurry ? 10_000 : max(0, (int) (($next - microtime(true)) * 1_000_000));
            // A signal ends it, too.
            if (@stream_select($readable, $none, $none, 0, $microseconds) > 0) {
                foreach ($readable as $stream) {
                    // An earlier one may have closed it.
                    if (isset($this->readers[(int) $stream])) {
                        ($this->readers[(int) $stream][1])($stream);
                    }
                }
            }
            $this->fire();
        }
    }

    private function fire(): void
    {
        $now = microtime(true);
        $due = array_filter($this->timers, fn (array $timer): bool => $this->isInHurry || $timer[0] <= $now);
        $this->timers = array_values(array_diff_key($this->timers, $due));
        foreach ($due as [, $then]) {
            $then();
        }
    }
}
