<?php

declare(strict_types=1);

namespace Howdah\Cli\Audit;

/** What nginx, PHP and the application logged while they were audited. */
final readonly class ServerLog
{
    private const TAIL_LINES = 20;
    private const TAIL_BYTES = 65536;

    /** @param string $file absolute: nginx works in another folder */
    public function __construct(public string $file)
    {
    }

    /** @return list<string> the last lines */
    public function tail(): array
    {
        $size = is_file($this->file) ? (int) filesize($this->file) : 0;
        $text = $size === 0 ? '' : (string) file_get_contents($this->file, false, null, max(0, $size - self::TAIL_BYTES));

        return array_slice(preg_split('/\R/', $text, -1, PREG_SPLIT_NO_EMPTY) ?: [], -self::TAIL_LINES);
    }

    /** @return list<string> for each worker that ended by a signal: which, and what it ran */
    public function crashes(): array
    {
        $text = (string) @file_get_contents($this->file);
        preg_match_all('/ (?<pid>\d+)#\d+: .*howdah: crash: realm \d+ ran (?<what>.*?)(?:, client: .*)?$/m', $text, $ran);
        $where = array_combine($ran['pid'], $ran['what']);
        preg_match_all('/worker process (?<pid>\d+) exited on signal (?<signal>\d+)/', $text, $ended);
        $describe = static fn (string $pid, string $signal): string => "signal $signal"
            . (isset($where[$pid]) ? ", it ran $where[$pid]" : '');

        return array_map($describe, $ended['pid'], $ended['signal']);
    }

    /** @return list<string> why it is served without rewind, as engine/sapi/rewind.c says it; empty: it is rewound */
    public function obstacles(): array
    {
        return $this->each('/howdah: .* cannot be rewound: (.*?)\. It is served in worker mode without rewind/');
    }

    /** @return list<string> what requests have changed that rewind does not put back: each worker says the first one */
    public function spoiled(): array
    {
        return $this->each('/has changed what rewind does not put back \((.*)\): its realm is replaced/');
    }

    /** @return list<string> */
    private function each(string $pattern): array
    {
        preg_match_all($pattern, (string) @file_get_contents($this->file), $found);

        return array_values(array_unique($found[1]));
    }
}
