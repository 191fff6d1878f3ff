<?php

declare(strict_types=1);

namespace Howdah\Psr15;

use Psr\Http\Message\StreamFactoryInterface;
use Psr\Http\Message\UploadedFileFactoryInterface;
use Psr\Http\Message\UploadedFileInterface;

/**
 * $_FILES as PSR-7 has it: a tree of files, not five trees of what is known about them.
 *
 * @phpstan-type Known array{tmp_name: mixed, name: mixed, type: mixed, size: mixed, error: mixed}
 */
final readonly class Uploads
{
    public function __construct(private StreamFactoryInterface $streams, private UploadedFileFactoryInterface $files)
    {
    }

    /**
     * @param array<array-key, mixed> $files $_FILES
     *
     * @return array<array-key, mixed> leaves are UploadedFileInterface
     */
    public function of(array $files): array
    {
        $tree = [];
        foreach ($files as $name => $known) {
            /** @var Known $known */
            $tree[$name] = $this->branch($known);
        }

        return $tree;
    }

    /**
     * @param Known $known
     *
     * @return UploadedFileInterface|array<array-key, mixed>
     */
    private function branch(array $known): UploadedFileInterface|array
    {
        if (!is_array($known['tmp_name'])) {
            return $this->file($known);
        }
        $branches = [];
        foreach (array_keys($known['tmp_name']) as $key) {
            /** @var array<string, array<array-key, mixed>> $known */
            $branches[$key] = $this->branch([
                'tmp_name' => $known['tmp_name'][$key],
                'name' => $known['name'][$key] ?? null,
                'type' => $known['type'][$key] ?? null,
                'size' => $known['size'][$key] ?? null,
                'error' => $known['error'][$key] ?? UPLOAD_ERR_NO_FILE,
            ]);
        }

        return $branches;
    }

    /** @param Known $known */
    private function file(array $known): UploadedFileInterface
    {
        $error = is_int($known['error']) ? $known['error'] : UPLOAD_ERR_NO_FILE;
        $path = is_string($known['tmp_name']) ? $known['tmp_name'] : '';
        $stream = $error === UPLOAD_ERR_OK
            ? $this->streams->createStreamFromFile($path, 'r')
            : $this->streams->createStream();

        return $this->files->createUploadedFile(
            $stream,
            is_int($known['size']) ? $known['size'] : null,
            $error,
            is_string($known['name']) ? $known['name'] : null,
            is_string($known['type']) ? $known['type'] : null,
        );
    }
}
