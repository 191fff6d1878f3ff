<?php

declare(strict_types=1);

namespace Howdah\Cli\Doctor;

use FilesystemIterator;
use RecursiveCallbackFilterIterator;
use RecursiveDirectoryIterator;
use RecursiveIteratorIterator;
use SplFileInfo;

/** Whether a project's own code asks for the process's number: it is the worker's, one for all of its requests. */
final readonly class ProcessNumberCheck
{
    private const CALL = '/(?<![\w$>:\'"\\\\])\\\\?(getmypid|posix_getpid)\s*\(/i';

    /** Not the project's own, or not served. */
    private const LEFT_OUT = ['.git', 'node_modules', 'vendor', 'tests', 'test'];

    /** So many files are looked at, of so many bytes at most; and so many are named. */
    private const MOST_FILES = 20_000;
    private const MOST_BYTES = 1024 ** 2;
    private const NAMED = 3;

    public function __construct(private string $folder)
    {
    }

    /** @return list<Finding> */
    public function findings(): array
    {
        $callers = $this->callers();
        if ($callers === []) {
            return [];
        }
        $more = count($callers) > self::NAMED ? ' and ' . (count($callers) - self::NAMED) . ' others' : '';
        $named = implode(', ', array_slice($callers, 0, self::NAMED)) . $more;

        return [Finding::note('process id', "$named: getmypid() and posix_getpid() give the worker's number, the same to all"
            . ' requests that it serves at once: a lock or a temporary file that goes by it is everybody\'s; use flock(), and'
            . ' tempnam() or random_bytes() for names')];
    }

    /** @return list<string> paths below the folder */
    private function callers(): array
    {
        $isWanted = static fn (SplFileInfo $entry): bool => $entry->isDir()
            ? !in_array($entry->getFilename(), self::LEFT_OUT, true)
            : strcasecmp($entry->getExtension(), 'php') === 0;
        $entries = new RecursiveIteratorIterator(
            new RecursiveCallbackFilterIterator(
                new RecursiveDirectoryIterator($this->folder, FilesystemIterator::SKIP_DOTS),
                $isWanted,
            ),
            RecursiveIteratorIterator::LEAVES_ONLY,
            RecursiveIteratorIterator::CATCH_GET_CHILD,
        );
        $callers = [];
        $count = 0;
        /** @var SplFileInfo $entry */
        foreach ($entries as $entry) {
            if ($entry->isFile() && self::asks($entry->getPathname())) {
                $callers[] = substr($entry->getPathname(), strlen($this->folder) + 1);
            }
            if (++$count === self::MOST_FILES) {
                break;
            }
        }
        sort($callers);

        return $callers;
    }

    /** In code, not in a comment; nor a method of that name. */
    private static function asks(string $path): bool
    {
        $source = (string) @file_get_contents($path, length: self::MOST_BYTES);

        return preg_match(self::CALL, $source) === 1 && preg_match(self::CALL, php_strip_whitespace($path)) === 1;
    }
}
