<?php

declare(strict_types=1);

namespace Howdah\Cli\Doctor;

use FilesystemIterator;
use RecursiveCallbackFilterIterator;
use RecursiveDirectoryIterator;
use RecursiveIteratorIterator;
use SplFileInfo;

/** How much PHP a project has, with what Composer put into it. */
final readonly class PhpFiles
{
    /** More than this says no more. */
    private const MOST = 200_000;

    private function __construct(
        public int $count,
        public int $bytes,
    ) {
    }

    public static function below(string $folder): self
    {
        $isWanted = static fn (SplFileInfo $entry): bool => $entry->isDir()
            ? !in_array($entry->getFilename(), ['.git', 'node_modules'], true)
            : strcasecmp($entry->getExtension(), 'php') === 0;
        $entries = new RecursiveIteratorIterator(
            new RecursiveCallbackFilterIterator(
                new RecursiveDirectoryIterator($folder, FilesystemIterator::SKIP_DOTS),
                $isWanted,
            ),
            RecursiveIteratorIterator::LEAVES_ONLY,
            RecursiveIteratorIterator::CATCH_GET_CHILD,
        );
        $count = $bytes = 0;
        /** @var SplFileInfo $entry */
        foreach ($entries as $entry) {
            if (!$entry->isFile()) {
                continue;
            }
            $bytes += (int) $entry->getSize();
            if (++$count === self::MOST) {
                break;
            }
        }

        return new self($count, $bytes);
    }
}
