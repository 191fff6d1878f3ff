<?php

declare(strict_types=1);

namespace App\Probe;

use Generator;
use Howdah\Tests\Isolation\Probe;
use Psr\Http\Message\ServerRequestInterface;

/**
 * What a request object is made of, while others are made in other realms.
 *
 * @phpstan-import-type Check from \Howdah\Tests\Isolation\Checks
 */
final class Psr15Checks
{
    /**
     * @return array<string, Check>
     */
    public static function for(Probe $probe, ServerRequestInterface $request): array
    {
        $checks = ['psr-7 request' => self::request($probe, $request)];
        if (isset($request->getQueryParams()['session'])) {
            $checks['session'] = self::session($probe);
        }

        return $checks;
    }

    /** @return Check */
    private static function request(Probe $probe, ServerRequestInterface $request): Generator
    {
        $marked = $request->withAttribute('mark', $probe->mark('attribute'));
        $content = (string) $request->getBody();
        yield static fn (): array => [
            'query' => [$probe->id, $marked->getQueryParams()['id'] ?? null],
            'uri' => [true, str_contains($marked->getUri()->getQuery(), "id={$probe->id}&")],
            'header' => [$probe->mark('header'), $marked->getHeaderLine('X-Probe')],
            'cookie' => [$probe->mark('cookie'), $marked->getCookieParams()['probe_in'] ?? null],
            'attribute' => [$probe->mark('attribute'), $marked->getAttribute('mark')],
            'superglobal' => [$_SERVER['QUERY_STRING'] ?? null, $marked->getServerParams()['QUERY_STRING'] ?? null],
            'body' => match ($marked->getQueryParams()['kind'] ?? null) {
                'form' => [$probe->mark('field'), ((array) $marked->getParsedBody())['field'] ?? null],
                'raw' => [str_repeat($probe->mark('content'), 100), $content],
                'upload' => [$probe->mark('name'), $marked->getUploadedFiles()['file']->getClientFilename()],
                default => ['', $content],
            },
        ];
    }

    /** @return Check */
    private static function session(Probe $probe): Generator
    {
        $_SESSION['mark'] = $probe->mark('session');
        $id = session_id();
        yield static fn (): array => [
            '$_SESSION' => [$probe->mark('session'), $_SESSION['mark'] ?? null],
            'session_id' => [$id, session_id()],
        ];
    }
}
