<?php

declare(strict_types=1);

namespace Howdah\Cli\Top;

use Howdah\Cli\Failure;
use Symfony\Component\Console\Output\OutputInterface;

/** The live view in a terminal: keys go to the screen, and what it shows is painted again each second. */
final class Live
{
    private const PAINT_SECONDS = 1.0;

    /** A worker that is in C code is not waited for: the keys would wait as well. */
    private const PATIENCE = 0.3;

    /** A worker looks five times a second whether a request is to end. */
    private const END_PATIENCE = 1.0;

    /** Another screen than the one with the user's commands, without a cursor, and without lines that go on below. */
    private const ENTER = "\e[?1049h\e[?25l\e[?7l";
    private const LEAVE = "\e[?7h\e[?25h\e[?1049l";

    private const SIGNALS = [SIGTERM, SIGHUP, SIGINT, SIGQUIT];

    private int $signal = 0;
    private int $columns = 80;
    private int $rows = 24;

    /**
     * @param list<Window> $windows
     * @param resource     $input   of the terminal
     */
    public function __construct(
        private readonly array $windows,
        private readonly Screen $screen,
        private readonly OutputInterface $output,
        private readonly mixed $input,
    ) {
    }

    /** Until the user leaves. */
    public function run(): void
    {
        $settings = trim($this->stty('-g'));
        pcntl_async_signals(true);
        foreach (self::SIGNALS as $signal) {
            pcntl_signal($signal, function (int $number): void {
                $this->signal = $number;
            });
        }
        pcntl_signal(SIGWINCH, fn () => $this->measure());
        try {
            // Ctrl-C and Ctrl-Z are keys: a command that is stopped would leave the terminal as it is here.
            $this->stty('-icanon', '-echo', '-isig', 'min', '1');
            $this->write(self::ENTER);
            $this->measure();
            $this->loop();
        } finally {
            $this->write(self::LEAVE);
            $this->stty($settings);
        }
    }

    private function loop(): void
    {
        while (!$this->screen->isOver() && $this->signal === 0) {
            if (!$this->screen->isPaused()) {
                $this->screen->update($this->ask());
            }
            $this->paint();
            for ($until = microtime(true) + self::PAINT_SECONDS; ($left = $until - microtime(true)) > 0;) {
                $keys = $this->keys($left);
                if ($keys === null) {
                    return;
                }
                array_walk($keys, $this->screen->press(...));
                $this->end($this->screen->takeEnding());
                if ($this->screen->isOver() || $this->signal !== 0) {
                    return;
                }
                if ($keys !== []) {
                    $this->paint();
                }
            }
        }
    }

    private function end(?string $request): void
    {
        if ($request !== null) {
            $this->screen->say(ucfirst(Window::endAny($this->windows, $request, self::END_PATIENCE)->say($request)));
        }
    }

    /** @return list<Worker> */
    private function ask(): array
    {
        return array_merge(...array_map(static fn (Window $one): array => $one->ask(self::PATIENCE), $this->windows));
    }

    /** @return list<string>|null what was pressed; null: the terminal has gone */
    private function keys(float $seconds): ?array
    {
        [$read, $none] = [[$this->input], null];
        // A signal ends the wait early, with a warning.
        if (@stream_select($read, $none, $none, 0, (int) ($seconds * 1e6)) !== 1) {
            return [];
        }
        $bytes = (string) fread($this->input, 1024);
        if ($bytes === '') {
            return null;
        }

        // What is no UTF-8 is no key.
        return preg_match_all('/\e[\[O][0-9;]*[A-Za-z~]|\X/u', $bytes, $keys) === false ? [] : $keys[0];
    }

    private function paint(): void
    {
        $text = "\e[H";
        foreach ($this->screen->lines($this->columns, $this->rows) as $number => $line) {
            $text .= ($number === 0 ? '' : "\r\n") . "$line\e[K";
        }
        $this->write("$text\e[J");
    }

    private function write(string $text): void
    {
        $this->output->write($text, false, OutputInterface::OUTPUT_RAW);
    }

    private function measure(): void
    {
        if (preg_match('/^([1-9]\d*) ([1-9]\d*)$/', trim($this->stty('size')), $size) === 1) {
            [$this->rows, $this->columns] = [(int) $size[1], (int) $size[2]];
        }
    }

    private function stty(string ...$words): string
    {
        $pipe = ['pipe', 'w'];
        $process = @proc_open(['stty', ...array_values($words)], [$this->input, $pipe, $pipe], $pipes);
        if ($process === false) {
            throw new Failure('the terminal cannot be set up: stty cannot be run; use --once');
        }
        [$said, $errors] = [(string) stream_get_contents($pipes[1]), (string) stream_get_contents($pipes[2])];
        if (proc_close($process) !== 0) {
            throw new Failure('the terminal cannot be set up: ' . trim($errors) . '; use --once');
        }

        return $said;
    }
}
