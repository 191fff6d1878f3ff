<?php

declare(strict_types=1);

namespace Howdah\Bench\Load;

use Howdah\Bench\Data\Ledger;
use Howdah\Bench\Machine\Processes;
use Howdah\Bench\Rules\Asking;
use Howdah\Bench\Rules\Rules;
use Howdah\Bench\Server\Server;
use Howdah\Cli\Failure;

/**
 * A server, a page of it, and the proof that both are in order.
 *
 * start() and each measurement are surrounded by checks: answers are right before and after, and no process has died between.
 * Where others have published rules for the page, start() verifies it by them.
 */
final class Contender
{
    private const START_SECONDS = 60;
    private const SETTLE_SECONDS = 60;

    /** A few answers, not one: realms and children have to agree. */
    private const ANSWERS = 20;

    /** @var list<int> */
    private array $processes = [];
    private int $bytes = 0;

    public function __construct(
        public readonly string $name,
        private readonly Server $server,
        public readonly Page $page,
        public readonly ?Ledger $ledger = null,
        private readonly ?Rules $rules = null,
    ) {
    }

    /** Why it cannot take part on this machine; null when it can. */
    public function missing(): ?string
    {
        return $this->server->missing();
    }

    /** Why its figures could be compared with nobody's, although it is here; null when they can. */
    public function refusal(): ?string
    {
        return $this->server->refusal();
    }

    /** @return list<string> what comes before a load generator's command */
    public function beside(): array
    {
        return $this->server->beside();
    }

    public function start(): void
    {
        $this->server->start();
        $deadline = hrtime(true) + self::START_SECONDS * 1_000_000_000;
        while (!$this->answers()) {
            if (!$this->server->isRunning() || hrtime(true) > $deadline) {
                throw new Failure("$this->name does not serve: {$this->server->complaint()}");
            }
            usleep(20_000);
        }
        // The first to answer may have siblings that are still being born.
        do {
            $this->processes = $this->server->processes();
            usleep(100_000);
        } while ($this->server->processes() !== $this->processes);
        $this->check();
        $this->rules?->verify(new Asking($this->name, $this->port()));
    }

    public function stop(): void
    {
        $this->server->stop();
    }

    /** The end of its log. */
    public function complaint(): string
    {
        return $this->server->complaint();
    }

    /** Throws WrongAnswer when something is not as it has to be. */
    public function check(): void
    {
        for ($i = 0; $i < self::ANSWERS; $i++) {
            $answer = Answer::get($this->server->port(), $this->page->path);
            $fault = $this->page->fault($answer);
            if ($fault !== null) {
                throw new WrongAnswer("$this->name, {$this->page->path}: $fault; {$this->server->complaint()}");
            }
            $this->bytes = $answer->bytes ?? 0;
        }
        if ($this->server->processes() !== $this->processes) {
            throw new WrongAnswer("$this->name: a process died or was replaced; {$this->server->complaint()}");
        }
    }

    /** Waits until it does nothing more: php-fpm's children work on for clients that have gone, at the cost of who is asked next. */
    public function settle(): void
    {
        $deadline = hrtime(true) + self::SETTLE_SECONDS * 1_000_000_000;
        do {
            $used = Processes::cpuSeconds($this->processes);
            usleep(100_000);
        } while (Processes::cpuSeconds($this->processes) - $used > 0.01 && hrtime(true) < $deadline);
    }

    public function port(): int
    {
        return $this->server->port();
    }

    public function url(): string
    {
        return "http://127.0.0.1:{$this->port()}{$this->page->path}";
    }

    /** @return list<int> */
    public function processes(): array
    {
        return $this->processes;
    }

    /** Bytes of an answer, headers and framing included; null when they vary. */
    public function answerBytes(): ?int
    {
        return $this->page->hasOneLength() ? $this->bytes : null;
    }

    /** Whether right or wrong, which check() tells; 502 is nginx, while what is behind it starts. */
    private function answers(): bool
    {
        return !in_array(Answer::get($this->port(), $this->page->path)?->status, [null, 502], true);
    }
}
