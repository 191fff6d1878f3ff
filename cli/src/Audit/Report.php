<?php

declare(strict_types=1);

namespace Howdah\Cli\Audit;

use Howdah\Cli\Failure;

/** What the engine's audit has written (engine/state/audit/README.md). */
final readonly class Report
{
    /** A worker's report takes a moment to be whole where it is written into the file itself. */
    private const WAIT_MS = 2000;

    /**
     * @param list<array<array-key, mixed>> $findings as written, what nothing explains first
     * @param int                           $lost     words that changed and for which there was no room
     */
    private function __construct(
        public int $unexplained,
        public int $shared,
        public int $lost,
        public int $looks,
        public int $comparedBytes,
        public array $findings,
    ) {
    }

    public static function read(string $file): self
    {
        for ($waited = 0; ($told = self::whole($file)) === null; $waited += 50) {
            if ($waited >= self::WAIT_MS) {
                throw new Failure("the audit wrote no report to $file: run it again with --log=FILE, which should tell why");
            }
            usleep(50_000);
        }
        $number = static fn (mixed $value): int => is_int($value) ? $value : 0;
        $looks = is_array($told['looks'] ?? null) ? $told['looks'] : [];

        return new self(
            $number($told['unexplained_words'] ?? null),
            $number($told['shared_words'] ?? null),
            $number($told['lost_words'] ?? null),
            $number($looks['middle'] ?? null) + $number($looks['end'] ?? null),
            $number($told['compared_bytes'] ?? null),
            array_values(array_filter(is_array($told['findings'] ?? null) ? $told['findings'] : [], is_array(...))),
        );
    }

    /** @return list<Word> that nothing explains */
    public function unexplainedFindings(): array
    {
        return array_values(array_filter($this->words(), static fn (Word $word): bool => !$word->isShared));
    }

    /** @return list<Word> */
    public function sharedFindings(): array
    {
        return array_values(array_filter($this->words(), static fn (Word $word): bool => $word->isShared));
    }

    /** @return list<Word> */
    private function words(): array
    {
        return array_map(Word::of(...), $this->findings);
    }

    /** @return array<array-key, mixed>|null */
    private static function whole(string $file): ?array
    {
        clearstatcache();
        $text = is_file($file) ? @file_get_contents($file) : false;
        $told = $text === false ? null : json_decode($text, true);

        return is_array($told) && ($told['complete'] ?? null) === true ? $told : null;
    }
}
