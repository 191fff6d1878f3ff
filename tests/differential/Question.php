<?php

declare(strict_types=1);

namespace Howdah\Tests\Differential;

/**
 * A case: the script that answers, and the bytes that ask it. Each has a folder of its own below the document root, for which
 * "{case}" stands in the requests.
 */
final readonly class Question
{
    /**
     * @param array<string, string> $files    by path below the folder
     * @param list<string>          $requests as they go over the wire, one after another without waiting, on one connection
     * @param list<string>          $ini      "name=value" of php.ini, for this folder alone
     * @param string                $nginx    directives for its scripts; "{prefix}" is fastcgi or howdah
     * @param bool                  $worker   whether worker mode can be asked, too
     * @param bool                  $isHalf   its end never comes: nginx gives up
     */
    private function __construct(
        public array $files,
        public array $requests,
        public array $ini = [],
        public string $nginx = '',
        public bool $worker = true,
        public bool $isEncrypted = false,
        public bool $isHalf = false,
    ) {
    }

    /**
     * @param string $code    of index.php
     * @param string $after   what follows /case/index.php
     * @param string $headers "Name: value"
     */
    public static function get(string $code, string $after = '', string ...$headers): self
    {
        return self::ask('GET', $code, $after, null, ...$headers);
    }

    public static function post(string $code, string $type, string $body, string ...$headers): self
    {
        return self::ask('POST', $code, '', $body, "Content-Type: $type", ...$headers);
    }

    /** A form that holds files, each "name; other parameters" with what it contains. */
    public static function upload(string $code, string ...$parts): self
    {
        $body = '';
        foreach ($parts as $part) {
            $body .= "--sep\r\n" . $part . "\r\n";
        }

        return self::post($code, 'multipart/form-data; boundary=sep', "$body--sep--\r\n");
    }

    /** With a length when there is a body. */
    public static function ask(string $method, string $code, string $after, ?string $body, string ...$headers): self
    {
        $length = $body === null ? [] : ['Content-Length: ' . strlen($body)];
        $usual = ['Host: shop.example', 'Connection: close'];
        $lines = ["$method {case}/index.php$after HTTP/1.1", ...$usual, ...$headers, ...$length];

        return self::raw($code, implode("\r\n", $lines) . "\r\n\r\n$body");
    }

    /** The last one has to make the server close the connection. */
    public static function raw(string $code, string ...$requests): self
    {
        return new self(['index.php' => $code], array_values($requests));
    }

    public function file(string $path, string $content): self
    {
        return $this->but(files: [$path => $content] + $this->files);
    }

    /** Worker mode has PHP's settings from its start. */
    public function ini(string ...$lines): self
    {
        return $this->but(ini: array_values($lines), worker: false);
    }

    public function nginx(string $directives): self
    {
        return $this->but(nginx: $directives, worker: false);
    }

    /** For what is about scripts, paths, or the end of a whole script. */
    public function onlyClassic(): self
    {
        return $this->but(worker: false);
    }

    public function encrypted(): self
    {
        return $this->but(isEncrypted: true);
    }

    /** nginx waits a second for the rest of it. */
    public function half(): self
    {
        return $this->but(isHalf: true);
    }

    /** What goes over the wire for the case of this name. */
    public function bytes(string $name): string
    {
        return str_replace('{case}', "/$name", implode('', $this->requests));
    }

    /** @return list<bool> for each request: whether its answer has no body */
    public function heads(): array
    {
        return array_map(static fn (string $request): bool => str_starts_with($request, 'HEAD '), $this->requests);
    }

    /**
     * @param ?array<string, string> $files
     * @param ?list<string>          $ini
     */
    private function but(
        ?array $files = null,
        ?array $ini = null,
        ?string $nginx = null,
        ?bool $worker = null,
        ?bool $isEncrypted = null,
        ?bool $isHalf = null,
    ): self {
        return new self(
            $files ?? $this->files,
            $this->requests,
            $ini ?? $this->ini,
            $nginx ?? $this->nginx,
            $worker ?? $this->worker,
            $isEncrypted ?? $this->isEncrypted,
            $isHalf ?? $this->isHalf,
        );
    }
}
