<?php

declare(strict_types=1);

namespace Howdah\Bench\Machine;

/** An extension that some peers want of our PHP: by itself it has it, or a variable names its file. */
enum Extension: string
{
    case Swoole = 'swoole';
    case Protobuf = 'protobuf';

    /** HOWDAH_BENCH_SWOOLE=/path/to/swoole.so */
    public function variable(): string
    {
        return 'HOWDAH_BENCH_' . strtoupper($this->name);
    }

    /** What becomes of its peer without it, as the end of a sentence. */
    public function without(): string
    {
        return match ($this) {
            self::Swoole => '',
            self::Protobuf => ": without it RoadRunner's messages are read by PHP code, which is slow",
        };
    }
}
