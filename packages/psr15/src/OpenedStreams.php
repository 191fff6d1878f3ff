<?php

declare(strict_types=1);

namespace Howdah\Psr15;

use Psr\Http\Message\StreamFactoryInterface;
use Psr\Http\Message\StreamInterface;

/**
 * Another factory, which knows the files it has opened and closes them when the request is over: its body and its uploads
 * would keep their descriptors, and the disk's space of removed files, as long as a reference cycle of the application holds
 * the request.
 */
final class OpenedStreams implements StreamFactoryInterface
{
    /** @var list<StreamInterface> */
    private array $opened = [];

    public function __construct(private readonly StreamFactoryInterface $streams)
    {
    }

    public function createStream(string $content = ''): StreamInterface
    {
        return $this->streams->createStream($content);
    }

    public function createStreamFromFile(string $filename, string $mode = 'r'): StreamInterface
    {
        return $this->opened[] = $this->streams->createStreamFromFile($filename, $mode);
    }

    public function createStreamFromResource($resource): StreamInterface
    {
        return $this->streams->createStreamFromResource($resource);
    }

    public function close(): void
    {
        $opened = $this->opened;
        $this->opened = [];
        foreach ($opened as $stream) {
            $stream->close();
        }
    }
}
