<?php

declare(strict_types=1);

namespace Howdah\Bench\Counts;

/** A page whose requests are counted, and what its answer has to be. */
final readonly class Page
{
    /**
     * @param 'worker'|'classic' $mode
     * @param list<string>       $request howdah-run's options: what is asked, and what has to come back
     * @param int                $served  requests before those that count: code is compiled, caches are full
     * @param int                $counted how many of those there are. No power of two is among them: there a realm learns
     *                                    what to fetch early (engine/sapi/ahead.c)
     */
    public function __construct(
        public string $name,
        public string $mode,
        public string $script,
        public array $request,
        public int $served,
        public int $counted,
        public bool $rewinds = false,
    ) {
    }

    public function title(): string
    {
        return "$this->name, $this->mode mode" . ($this->rewinds ? ', rewind' : '');
    }

    /** In classic mode a realm that waits has nothing of its page's. */
    public function hasRealmOfItsOwn(): bool
    {
        return $this->mode === 'worker' || $this->name === 'hello';
    }
}
