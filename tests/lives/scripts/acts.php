<?php

// What a request does in the walk (../walk.c).

declare(strict_types=1);

final class Litter
{
    public self $own;
    public string $weight;

    public function __construct(private readonly string $end, int $bytes)
    {
        $this->own = $this;
        $this->weight = str_repeat('x', $bytes);
    }

    public function __destruct()
    {
        match ($this->end) {
            'exit' => exit,
            'wait' => usleep(40_000_000),
            default => null,
        };
    }
}

function litter(int $pieces, int $bytes, string $end = ''): void
{
    for ($i = 0; $i < $pieces; $i++) {
        new Litter($i === 0 ? $end : '', $bytes);
    }
}

/** Goes on where it is told to end. */
function stay(): void
{
    register_shutdown_function(static fn () => usleep(60_000_000));
    usleep(60_000_000);
}

function act(string $what, int $us): void
{
    static $kept = [];
    match ($what) {
        'nap' => usleep($us),
        'wait' => usleep(10_000_000),
        'stubborn' => stay(),
        'exit' => exit,
        'throw' => throw new RuntimeException('nobody catches this'),
        'grow' => $kept[] = str_repeat('x', 1 << 20),
        'memory' => str_repeat('x', 1 << 30),
        'litter' => litter(150, 100),
        'lump' => litter(150, 40_000),
        'litter-exit' => litter(150, 40_000, 'exit'),
        'litter-wait' => litter(150, 100, 'wait'),
        default => print('hello'),
    };
}
