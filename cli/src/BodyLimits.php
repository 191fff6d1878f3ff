<?php

declare(strict_types=1);

namespace Howdah\Cli;

/**
 * How large the body of a request may be: of a form, which PHP parses and binds with post_max_size; and of any other, which PHP
 * reads as it is, and which nginx keeps in a file until then.
 */
final readonly class BodyLimits
{
    private const MEGABYTE = 1024 ** 2;

    /** Where nobody says it. A disk that fills up is everybody's. */
    private const USUAL = 128 * self::MEGABYTE;

    /**
     * @param int  $all    bytes; 0: no limit
     * @param int  $forms  bytes; 0: no limit of their own
     * @param bool $isSaid whether --max-body says the first
     */
    private function __construct(public int $all, public int $forms, private bool $isSaid)
    {
    }

    /** @param int|null $all as --max-body says; null: it does not. Nobody who lifts PHP's limit expects another one. */
    public static function of(?int $all, PhpSettings $settings): self
    {
        $most = max(0, $settings->number('post_max_size'));
        $usual = $most === 0 ? 0 : max(self::USUAL, $most);

        return new self($all ?? $usual, $settings->isOn('enable_post_data_reading') ? $most : 0, $all !== null);
    }

    /** @return list<string> for nginx's http block */
    public function lines(): array
    {
        return [
            $this->isSaid ? '# --max-body' : '# Of bodies that are no forms; another limit: --max-body.',
            "client_max_body_size {$this->all};",
            ...($this->forms === 0 ? [] : [
                '# PHP\'s post_max_size: it would throw away what a larger form says when all of it is here.',
                "howdah_max_form {$this->forms};",
            ]),
        ];
    }

    /** "bodies up to 128 MB, forms up to 8 MB" */
    public function told(): string
    {
        $bodies = $this->all === 0 ? 'bodies of any size' : 'bodies up to ' . self::size($this->all);
        $isOwn = $this->forms !== 0 && ($this->all === 0 || $this->forms < $this->all);

        return $bodies . ($isOwn ? ', forms up to ' . self::size($this->forms) : '');
    }

    private static function size(int $bytes): string
    {
        [$unit, $name] = match (true) {
            $bytes >= 1024 * self::MEGABYTE => [1024 * self::MEGABYTE, 'GB'],
            $bytes >= self::MEGABYTE => [self::MEGABYTE, 'MB'],
            $bytes >= 1024 => [1024, 'KB'],
            default => [1, 'bytes'],
        };

        return round($bytes / $unit, 1) . " $name";
    }
}
