<?php

declare(strict_types=1);

namespace Howdah\HttpTests;

use PHPUnit\Framework\Assert;
use Symfony\Component\Yaml\Yaml;

/** A file of YAML, whose values are asked for by a path: "spec.ports.0.name". */
final readonly class Manifest
{
    private mixed $tree;

    public function __construct(private string $file)
    {
        $this->tree = Yaml::parseFile($file);
    }

    public function at(string $path): mixed
    {
        $at = $this->tree;
        foreach (explode('.', strtr($path, ['..' => "\0"])) as $key) {
            $key = strtr($key, "\0", '.');
            Assert::assertTrue(is_array($at) && array_key_exists($key, $at), "{$this->file} has no $path");
            $at = $at[$key];
        }

        return $at;
    }

    public function text(string $path): string
    {
        $found = $this->at($path);
        Assert::assertIsString($found, "$path of {$this->file}");

        return $found;
    }

    public function number(string $path): int
    {
        $found = $this->at($path);
        Assert::assertIsInt($found, "$path of {$this->file}");

        return $found;
    }

    /** @return list<mixed> */
    public function list(string $path): array
    {
        $found = $this->at($path);
        Assert::assertIsArray($found, "$path of {$this->file}");

        return array_values($found);
    }

    /** Bytes: of "1Gi", "384M", and nginx's "384m". */
    public static function bytes(string $size): int
    {
        Assert::assertSame(1, preg_match('/^(\d+)([KMG])i?$/i', $size, $parts), $size);

        [, $number, $unit] = $parts + ['', '', 'K'];

        return (int) $number << ['K' => 10, 'M' => 20, 'G' => 30][strtoupper($unit)];
    }
}
