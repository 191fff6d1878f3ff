<?php

declare(strict_types=1);

namespace Howdah\Cli\Audit;

use JsonSerializable;

/** Memory that changed and is in no realm: neighbouring words of one library, and who was seen to change them first. */
final readonly class Word implements JsonSerializable
{
    private const WORD_BYTES = 8;

    /** @param array<array-key, mixed> $told as the engine wrote it */
    private function __construct(
        public bool $isShared,
        public string $object,
        public string $extension,
        public string $place,
        public int $bytes,
        public string $firstSeen,
        public string $name,
        public string $reason,
        private string $leaveOut,
        private array $told,
    ) {
    }

    /** @param array<array-key, mixed> $told */
    public static function of(array $told): self
    {
        $text = static fn (string $key): string => is_string($told[$key] ?? null) ? $told[$key] : '';

        return new self(
            $text('verdict') === 'shared',
            $text('object'),
            $text('extension'),
            $text('place'),
            self::WORD_BYTES * (is_int($told['words'] ?? null) ? $told['words'] : 0),
            self::moment($text('moment'), $text('request'), $text('script')),
            $text('name'),
            $text('reason'),
            $text('leave_out'),
            $told,
        );
    }

    /**
     * What the findings mean and what can be done, once for each extension and once for all libraries.
     *
     * @param  list<self> $words
     * @return list<string>
     */
    public static function remedies(array $words): array
    {
        $libraries = [];
        $remedies = [];
        foreach ($words as $word) {
            if ($word->extension === '') {
                $libraries[$word->object] = true;
            } else {
                $remedies[$word->extension] = $word->remedy();
            }
        }
        if ($libraries !== []) {
            $remedies[] = self::remedyFor(array_keys($libraries));
        }

        return array_values($remedies);
    }

    private function remedy(): string
    {
        if ($this->extension !== '') {
            return "the extension $this->extension keeps something outside of what it has registered as its globals, and"
                . " realms share it: one request may see or overwrite another's. Leave it out"
                . " ($this->leaveOut), serve with --concurrency=1, or, where its documentation or its source shows that sharing"
                . " is harmless, say so with --shared-extension=$this->extension";
        }

        return self::remedyFor([$this->object]);
    }

    /** @param non-empty-list<string> $libraries */
    private static function remedyFor(array $libraries): string
    {
        return implode(', ', $libraries) . ': something is kept there that Howdah does not know, and realms share it: one'
            . " request may see or overwrite another's. Please report it with this table; until it is known, leave out what"
            . ' uses it, or serve with --concurrency=1';
    }

    /** @return array<array-key, mixed> */
    public function jsonSerialize(): array
    {
        return $this->told + ($this->isShared ? [] : ['remedy' => $this->remedy()]);
    }

    private static function moment(string $moment, string $request, string $script): string
    {
        $whose = $request === '' ? '' : " of $request" . ($script === '' ? '' : " ($script)");

        return match ($moment) {
            'birth' => "a realm's birth",
            'boot' => "a worker script's boot",
            'middle' => "the middle$whose",
            'end' => "the end$whose",
            default => $moment . $whose,
        };
    }
}
