<?php

declare(strict_types=1);

namespace Howdah\Cli\Top;

use Howdah\Cli\Failure;

/** The file of a Window: numbers of eight bytes, and texts. */
final readonly class Memory
{
    /** @param resource $file unbuffered */
    public function __construct(private int $master, private mixed $file)
    {
    }

    public function read(int $at, int $bytes): string
    {
        fseek($this->file, $at);
        for ($read = ''; strlen($read) < $bytes; $read .= $part) {
            $part = fread($this->file, max(1, $bytes - strlen($read)));
            if ($part === false || $part === '') {
                break;
            }
        }

        return str_pad($read, $bytes, "\0");
    }

    /** @return array<int, int> */
    public function numbersAt(int $at, int $count): array
    {
        return self::numbers($this->read($at, 8 * $count));
    }

    public function write(int $at, int $number): void
    {
        fseek($this->file, $at);
        if (fwrite($this->file, pack('q', $number)) !== 8 || !fflush($this->file)) {
            throw new Failure("the workers of nginx process {$this->master} cannot be asked: their memory cannot be written");
        }
    }

    /** Whether nobody else has it; else it is not waited for. */
    public function lock(): bool
    {
        return flock($this->file, LOCK_EX | LOCK_NB);
    }

    public function unlock(): void
    {
        flock($this->file, LOCK_UN);
    }

    /** @return array<int, int> */
    public static function numbers(string $bytes): array
    {
        /** @var array<int, int> $numbers */
        $numbers = unpack('q*', $bytes) ?: [];

        return array_values($numbers);
    }
}
