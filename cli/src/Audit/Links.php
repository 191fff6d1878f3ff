<?php

declare(strict_types=1);

namespace Howdah\Cli\Audit;

use DOMElement;
use Symfony\Component\DomCrawler\Crawler;
use Symfony\Component\DomCrawler\Form;
use Symfony\Component\DomCrawler\UriResolver;
use Throwable;

/** The pages that a page leads to: links, frames, and forms that ask (GET) as they are when nobody has filled them in. */
final readonly class Links
{
    /** @param string $origin "http://127.0.0.1:8080" */
    public function __construct(private string $origin)
    {
        Fleet::need('dom', 'xml');
    }

    /**
     * @param  string $path of the page
     * @return list<string> URLs, resolved, also of other servers
     */
    public function of(string $html, string $path): array
    {
        $crawler = new Crawler(null, $this->origin . $path);
        try {
            $crawler->addHtmlContent($html);
        } catch (Throwable) {
            // What no parser takes has no links.
            return [];
        }
        $urls = [];
        foreach ([['//a[@href] | //area[@href]', 'href'], ['//iframe[@src] | //frame[@src]', 'src']] as [$query, $attribute]) {
            foreach ($crawler->filterXPath($query) as $node) {
                if ($node instanceof DOMElement) {
                    $urls[] = UriResolver::resolve($node->getAttribute($attribute), (string) $crawler->getBaseHref());
                }
            }
        }
        foreach ($crawler->filterXPath('//form') as $node) {
            if ($node instanceof DOMElement && in_array(strtoupper($node->getAttribute('method')), ['', 'GET'], true)) {
                $urls[] = $this->asked($node, $path, $crawler->getBaseHref());
            }
        }

        return array_values(array_unique(array_filter($urls, is_string(...))));
    }

    /** The path and query of a URL, or null where it is not one of this server's. */
    public function own(string $url, string $from): ?string
    {
        $url = (string) preg_replace('/#.*$/s', '', UriResolver::resolve($url, $this->origin . $from));
        if (!str_starts_with($url . '/', $this->origin . '/') && !str_starts_with($url, $this->origin . '?')) {
            return null;
        }
        $path = substr($url, strlen($this->origin));
        $path = str_starts_with($path, '/') ? $path : "/$path";
        // As browsers send it.
        return preg_replace_callback(
            '/[^\x21-\x7e]|["<>`{}|\\\\^]/',
            /** @param array{string} $match */
            static fn (array $match): string => rawurlencode($match[0]),
            $path,
        );
    }

    private function asked(DOMElement $form, string $path, ?string $base): ?string
    {
        try {
            return (new Form($form, $this->origin . $path, 'GET', $base))->getUri();
        } catch (Throwable) {
            // A form that no browser would send as it is: radio buttons of no group, a field without an owner.
            return null;
        }
    }
}
