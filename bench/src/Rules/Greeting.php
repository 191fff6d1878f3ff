<?php

declare(strict_types=1);

namespace Howdah\Bench\Rules;

/** TechEmpower's tests json and plaintext: the greeting, whatever its case. What they warn of is refused here. */
final readonly class Greeting implements Rules
{
    private const TEXT = 'hello, world!';

    private function __construct(private string $path, private Headers $headers)
    {
    }

    public static function json(string $path): self
    {
        return new self($path, Headers::Json);
    }

    public static function plain(string $path): self
    {
        return new self($path, Headers::Plain);
    }

    public function verify(Asking $asking): void
    {
        $answer = $asking->for($this->path);
        $this->headers->verify($asking, $this->path, $answer);
        $body = strtolower($answer->body);
        if ($this->headers === Headers::Json) {
            $object = $asking->json($this->path, $body);
            $asking->demand($object === ['message' => self::TEXT], $this->path, "the object is $body");
        } else {
            $asking->demand($body === self::TEXT, $this->path, "the text is \"$body\"");
        }
        $this->headers->verifyDate($asking, $this->path);
    }
}
