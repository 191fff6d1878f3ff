<?php

/** stream_select() on the pipes of two children; its timeout is the limit. */

declare(strict_types=1);

use Howdah\WaitingTests\App\Row;

return new class implements Row {
    public function wait(float $seconds): mixed
    {
        $pipes = [
            $this->child("sleep $seconds; echo one; sleep 0.1; echo two"),
            $this->child("sleep $seconds; sleep 0.05; echo other"),
        ];
        $lines = [];
        while ($pipes !== []) {
            $reads = $pipes;
            $none = null;
            stream_select($reads, $none, $none, 60);
            foreach ($reads as $number => $pipe) {
                $line = fgets($pipe);
                if ($line === false) {
                    unset($pipes[$number]);
                } else {
                    $lines[$number][] = $line;
                }
            }
        }
        ksort($lines);

        return $lines;
    }

    public function limit(float $seconds): mixed
    {
        $reads = [$this->child('exec sleep 5')];
        $none = null;
        $count = stream_select($reads, $none, $none, (int) $seconds, (int) (fmod($seconds, 1) * 1_000_000));
        array_map(proc_terminate(...), $this->children);

        return [$count, $reads];
    }

    /** @var list<resource> an array that goes would wait for them */
    private array $children = [];

    /** @return resource its output */
    private function child(string $script)
    {
        $this->children[] = proc_open(['sh', '-c', $script], [1 => ['pipe', 'w']], $pipes);

        return $pipes[1];
    }
};
