<?php

declare(strict_types=1);

namespace Howdah\ApplicationTests;

use DOMDocument;
use DOMElement;
use DOMXPath;
use PHPUnit\Framework\Assert;

/** What a browser shows in the end, and the redirects on its way there. */
final class Page
{
    private ?DOMXPath $document = null;

    /**
     * @param array<string, list<string>>       $headers values by lower-case name
     * @param list<array{int, string}>          $hops    status and Location of each redirect that was followed
     */
    public function __construct(
        public readonly string $url,
        public readonly int $status,
        public readonly array $headers,
        public readonly string $body,
        public readonly array $hops,
    ) {
    }

    public function title(): string
    {
        $title = $this->document()->evaluate('string(//title)');

        return is_string($title) ? trim($title) : '';
    }

    /** The value of an attribute of the first element that an XPath expression finds. */
    public function attribute(string $path, string $name): string
    {
        $nodes = $this->document()->query($path);
        $node = $nodes === false ? null : $nodes->item(0);
        Assert::assertInstanceOf(DOMElement::class, $node, "$this->url has no $path: " . substr($this->body, 0, 2000));

        return $node->getAttribute($name);
    }

    /** What the first parenthesis of a pattern finds in the body. */
    public function find(string $pattern): string
    {
        $found = preg_match($pattern, $this->body, $match);
        Assert::assertSame(1, $found, "$this->url, $this->status, has no $pattern: " . substr($this->body, 0, 2000));

        return $match[1] ?? '';
    }

    /**
     * The fields of a form as a browser would send them untouched, without its buttons.
     *
     * @return array<string, string>
     */
    public function fields(string $form): array
    {
        $fields = [];
        $inputs = $this->document()->query("$form//input[@name] | $form//select[@name] | $form//textarea[@name]");
        Assert::assertNotFalse($inputs);
        Assert::assertGreaterThan(0, $inputs->length, "$this->url has no $form: " . substr($this->body, 0, 2000));
        foreach ($inputs as $input) {
            if ($input instanceof DOMElement && !$input->hasAttribute('disabled') && ($value = $this->value($input)) !== null) {
                $fields[$input->getAttribute('name')] = $value;
            }
        }

        return $fields;
    }

    /** @return array<array-key, mixed> */
    public function json(): array
    {
        $value = json_decode($this->body, true);
        Assert::assertIsArray($value, "$this->url is no JSON, $this->status: " . substr($this->body, 0, 2000));

        return $value;
    }

    public function assertStatus(int $status): self
    {
        Assert::assertSame($status, $this->status, "$this->url: " . substr($this->body, 0, 3000));

        return $this;
    }

    /** Is there (200) and says each of these. */
    public function assertSays(string ...$texts): self
    {
        return $this->assertTells(200, ...$texts);
    }

    public function assertTells(int $status, string ...$texts): self
    {
        $this->assertStatus($status);
        foreach ($texts as $text) {
            $instead = "$this->url does not say '$text': " . substr($this->body, 0, 3000);
            Assert::assertTrue(str_contains($this->body, $text), $instead);
        }

        return $this;
    }

    public function assertSilentOn(string ...$texts): self
    {
        foreach ($texts as $text) {
            Assert::assertFalse(str_contains($this->body, $text), "$this->url says '$text'");
        }

        return $this;
    }

    private function value(DOMElement $input): ?string
    {
        if ($input->nodeName === 'textarea') {
            return $input->textContent;
        }
        if ($input->nodeName === 'select') {
            $options = $this->document()->query('.//option[@selected]', $input);
            $options = $options !== false && $options->length > 0 ? $options : $this->document()->query('.//option', $input);
            $option = $options === false ? null : $options->item(0);

            return $option instanceof DOMElement
                ? ($option->hasAttribute('value') ? $option->getAttribute('value') : $option->textContent) : null;
        }
        $type = $input->getAttribute('type');
        if (in_array($type, ['submit', 'button', 'image', 'reset', 'file'], true)) {
            return null;
        }
        if (in_array($type, ['checkbox', 'radio'], true)) {
            return $input->hasAttribute('checked') ? ($input->getAttribute('value') ?: 'on') : null;
        }

        return $input->getAttribute('value');
    }

    private function document(): DOMXPath
    {
        if ($this->document === null) {
            $document = new DOMDocument();
            $document->loadHTML('<?xml encoding="UTF-8">' . ($this->body === '' ? '<p>' : $this->body), LIBXML_NOERROR);
            $this->document = new DOMXPath($document);
        }

        return $this->document;
    }
}
