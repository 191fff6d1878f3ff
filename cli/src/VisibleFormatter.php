<?php

declare(strict_types=1);

namespace Howdah\Cli;

use Symfony\Component\Console\Formatter\OutputFormatter;

/** All that a command says passes here, but what is for programs (OUTPUT_RAW): its own colours come after, others never. */
final class VisibleFormatter extends OutputFormatter
{
    public function format(?string $message): ?string
    {
        return parent::format($message === null ? null : VisibleText::lines($message));
    }
}
