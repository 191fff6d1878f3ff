<?php

declare(strict_types=1);

namespace Howdah\Cli\Audit;

/** What came back. */
final readonly class Answer
{
    /**
     * @param int         $status 0: no answer came
     * @param string|null $realm  which one answered, of which worker; null: it was not PHP
     * @param string      $body   its beginning
     * @param string      $error  why no answer came
     */
    public function __construct(
        public int $status,
        public ?string $realm,
        public string $type,
        public ?string $location,
        public string $body,
        public string $error,
    ) {
    }

    public function isHtml(): bool
    {
        return preg_match('~^(text/html|application/xhtml\+xml)\b~i', $this->type) === 1;
    }
}
