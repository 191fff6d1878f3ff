<?php

/**
 * What libxml2 and its extensions keep: the entity loader, the context of streams, and what a parser or a writer is in the
 * middle of when its document comes from a stream that waits.
 */

declare(strict_types=1);

namespace Howdah\Tests\Isolation;

use DOMDocument;
use Generator;
use XMLReader;
use XMLWriter;
use XSLTProcessor;

/**
 * A stream that waits when it is opened, read and written: the name of the wrapper leads to the probe.
 */
final class PausingStream
{
    /** @var array<string, Probe> by the name of the wrapper */
    public static array $probes = [];

    /** @var array<string, string> what was written, by URL */
    public static array $written = [];

    /** @var resource|null set by PHP */
    public $context;

    private string $url = '';

    private string $rest = '';

    public function stream_open(string $url, string $mode): bool
    {
        $this->pause($url);
        if (str_starts_with($mode, 'w')) {
            self::$written[$url] = '';
        } else {
            $this->rest = urldecode((string) parse_url($url, PHP_URL_QUERY));
            $options = $this->context === null ? [] : stream_context_get_options($this->context);
            $mark = is_array($options['howdah'] ?? null) ? $options['howdah']['mark'] ?? '' : '';
            $this->rest = str_replace('{context}', is_string($mark) ? $mark : '', $this->rest);
        }
        $this->url = $url;

        return true;
    }

    public function stream_read(int $count): string
    {
        $this->pause($this->url);
        $chunk = substr($this->rest, 0, $count);
        $this->rest = substr($this->rest, $count);

        return $chunk;
    }

    public function stream_write(string $data): int
    {
        $this->pause($this->url);
        self::$written[$this->url] = (self::$written[$this->url] ?? '') . $data;

        return strlen($data);
    }

    public function stream_eof(): bool
    {
        return $this->rest === '';
    }

    public function stream_flush(): bool
    {
        return true;
    }

    /** @return array<string, int> */
    public function stream_stat(): array
    {
        return [];
    }

    /** @return array<string, int> */
    public function url_stat(): array
    {
        return [];
    }

    private function pause(string $url): void
    {
        // A writer closes its stream when it is destroyed, which may be later than its check ends.
        (self::$probes[explode(':', $url, 2)[0]] ?? null)?->pause();
    }
}

/**
 * @phpstan-import-type Check from Checks
 */
final class XmlChecks implements Checks
{
    private readonly string $scheme;

    public function __construct(private readonly Probe $probe)
    {
        $this->scheme = "howdah-{$probe->id}";
    }

    public function checks(): array
    {
        return (extension_loaded('dom') ? [
            'entity loader' => $this->entityLoader(),
            'streams context' => $this->streamsContext(),
            'xml load' => $this->load(),
            'xml save' => $this->save(),
        ] : [])
            + (extension_loaded('xml') ? ['xml parser' => $this->parser()] : [])
            + (extension_loaded('xmlreader') && extension_loaded('xmlwriter') ? ['xml streams' => $this->streams()] : [])
            + (extension_loaded('xsl') ? ['xsl' => $this->transform()] : []);
    }

    private function register(string $kind): string
    {
        $name = "{$this->scheme}-{$kind}";
        PausingStream::$probes[$name] = $this->probe;
        stream_wrapper_register($name, PausingStream::class);

        return $name;
    }

    private function unregister(string $name): void
    {
        stream_wrapper_unregister($name);
        unset(PausingStream::$probes[$name]);
    }

    /** @return Check */
    private function entityLoader(): Generator
    {
        $mark = $this->probe->mark('entity');
        $asked = [];
        libxml_set_external_entity_loader(function (?string $public, ?string $system) use (&$asked, $mark): mixed {
            if ($system === null || !str_ends_with($system, '.howdah')) {
                return $system;
            }
            $this->probe->pause();
            $asked[] = basename($system);
            $file = fopen('php://memory', 'w+');
            if ($file !== false) {
                fwrite($file, $mark);
                rewind($file);
            }

            return $file;
        });
        yield static function () use (&$asked, $mark): array {
            $asked = [];
            $document = new DOMDocument();
            $document->loadXML("<!DOCTYPE a [<!ENTITY e SYSTEM '{$mark}.howdah'>]><a>&e;</a>", LIBXML_NOENT);

            // The element's: the document's has the entity a second time, where it is declared (libxml2 2.15).
            $text = $document->documentElement?->textContent;

            return ['asked' => [["{$mark}.howdah"], $asked], 'text' => [$mark, $text]];
        };
        libxml_set_external_entity_loader(null);
    }

    /** @return Check */
    private function streamsContext(): Generator
    {
        $mark = $this->probe->mark('streams');
        $scheme = $this->register('context');
        libxml_set_streams_context(stream_context_create(['howdah' => ['mark' => $mark]]));
        yield static function () use ($scheme, $mark): array {
            $document = new DOMDocument();
            $document->load("{$scheme}://x?" . urlencode('<a>{context}</a>'));

            return ['mark' => [$mark, $document->textContent]];
        };
        libxml_set_streams_context(stream_context_create());
        $this->unregister($scheme);
    }

    /** @return Check */
    private function load(): Generator
    {
        $mark = $this->probe->mark('loaded');
        $scheme = $this->register('load');
        yield static function () use ($scheme, $mark): array {
            $entity = "{$scheme}://e?" . urlencode("<b>{$mark}</b>");
            $document = new DOMDocument();
            // Entities are replaced only where that is asked for.
            $text = "<!DOCTYPE a [<!ENTITY e SYSTEM '{$entity}'><!ATTLIST a x CDATA '{$mark}'>]>\n<a>&e;\n<c/></a>";
            $document->load("{$scheme}://x?" . urlencode($text), LIBXML_NOENT | LIBXML_DTDATTR);
            $plain = new DOMDocument();
            $plain->load("{$scheme}://x?" . urlencode("<!DOCTYPE a [<!ENTITY e '{$mark}'>]><a>&e; <c/></a>"));
            $html = new DOMDocument();
            $html->loadHTMLFile("{$scheme}://x?" . urlencode("<p id='{$mark}'>{$mark}</p>"));

            return [
                'text' => ["{$mark}\n", $document->documentElement?->textContent],
                'default attribute' => [$mark, $document->documentElement?->getAttribute('x')],
                'entity left alone' => ['<a>&e; <c/></a>', $plain->saveXML($plain->documentElement)],
                'html' => [$mark, $html->getElementById($mark)?->textContent],
            ];
        };
        $this->unregister($scheme);
    }

    /** @return Check */
    private function save(): Generator
    {
        $mark = $this->probe->mark('saved');
        $scheme = $this->register('save');
        $options = $this->probe->choose('options', [0, LIBXML_NOEMPTYTAG]);
        yield static function () use ($scheme, $mark, $options): array {
            $document = new DOMDocument();
            $document->loadXML("<a x='{$mark}'><b/></a>");
            $document->save("{$scheme}://out", $options);
            $element = $options === 0 ? '<b/>' : '<b></b>';
            $expected = "<?xml version=\"1.0\"?>\n<a x=\"{$mark}\">{$element}</a>\n";
            $written = PausingStream::$written["{$scheme}://out"] ?? null;
            unset(PausingStream::$written["{$scheme}://out"]);

            return ['written' => [$expected, $written]];
        };
        $this->unregister($scheme);
    }

    /** @return Check */
    private function parser(): Generator
    {
        $mark = $this->probe->mark('parsed');
        $seen = [];
        $new = function () use (&$seen): \XMLParser {
            $parser = xml_parser_create_ns();
            xml_set_element_handler($parser, function ($parser, string $name) use (&$seen): void {
                $this->probe->pause();
                $seen[] = $name;
            }, static fn () => null);
            xml_set_character_data_handler($parser, static function ($parser, string $text) use (&$seen): void {
                $seen[] = $text;
            });

            return $parser;
        };
        $parser = $new();
        xml_parse($parser, '<all>');
        yield static function () use ($parser, $mark, &$seen): array {
            $seen = [];
            xml_parse($parser, "<b>{$mark}\xc3\xa9</b>");
            // The handlers write through their reference.
            /** @var list<string> $seen */

            return [
                'seen' => [['B', "{$mark}\xc3\xa9"], [$seen[0] ?? null, implode('', array_slice($seen, 1))]],
                'error' => [XML_ERROR_NONE, xml_get_error_code($parser)],
                'encoding' => ['UTF-8', xml_parser_get_option($parser, XML_OPTION_TARGET_ENCODING)],
            ];
        };
    }

    /** @return Check */
    private function streams(): Generator
    {
        $mark = $this->probe->mark('streamed');
        $scheme = $this->register('streams');
        $reader = XMLReader::open("{$scheme}://in?" . urlencode("<a><b>{$mark}</b></a>"));
        $writer = new XMLWriter();
        $writer->openUri("{$scheme}://written");
        $writer->setIndent(true);
        $writer->startDocument();
        $writer->startElement('a');
        $elements = 0;
        yield static function () use ($reader, $writer, $mark, $scheme, &$elements): array {
            ++$elements;
            $writer->writeElement('b', $mark);
            $writer->flush();
            $text = substr_count(PausingStream::$written["{$scheme}://written"] ?? '', "\n <b>{$mark}</b>");
            if ($elements > 1 || !$reader instanceof XMLReader) {
                return ['written' => [$elements, $text]];
            }
            $reader->read();
            $reader->read();

            return ['written' => [$elements, $text], 'read' => [$mark, $reader->readString()]];
        };
        $writer->endDocument();
        $writer->flush();
        unset(PausingStream::$written["{$scheme}://written"]);
        $this->unregister($scheme);
    }

    /** @return Check */
    private function transform(): Generator
    {
        $mark = $this->probe->mark('transformed');
        $scheme = $this->register('xsl');
        $rule = "<xsl:template match='b'><x><xsl:value-of select='.'/></x></xsl:template>";
        $sheet = static fn (string $rules): string =>
            "<xsl:stylesheet version='1.0' xmlns:xsl='http://www.w3.org/1999/XSL/Transform'>{$rules}</xsl:stylesheet>";
        $included = "{$scheme}://i?" . urlencode($sheet($rule));
        $document = "{$scheme}://d?" . urlencode("<b>{$mark}</b>");
        $main = "<xsl:include href='{$included}'/><xsl:output omit-xml-declaration='yes'/>"
            . "<xsl:template match='/'><y><xsl:apply-templates select=\"document('{$document}')/b\"/></y></xsl:template>";
        yield static function () use ($sheet, $main, $mark): array {
            $processor = new XSLTProcessor();
            $style = new DOMDocument();
            $style->loadXML($sheet($main));
            $input = new DOMDocument();
            $input->loadXML('<a/>');
            $imported = $processor->importStylesheet($style);

            return [
                'imported' => [true, $imported],
                'result' => ["<y><x>{$mark}</x></y>\n", $processor->transformToXml($input)],
            ];
        };
        $this->unregister($scheme);
    }
}
