<?php

declare(strict_types=1);

namespace Howdah\Tests\Upstream\Subjects;

use Howdah\Tests\Upstream\Exchange;
use Howdah\Tests\Upstream\Subject;

/**
 * What filters make of PHP's output: sub_filter*.t, gzip*.t, gunzip*.t, charset*.t, image_filter*.t, headers.t, trailers.t,
 * range*.t, not_modified*.t.
 */
final class Filters implements Subject
{
    public static function locations(): string
    {
        return <<<'NGINX'
            location / { {pass} }
            location /once/ { sub_filter_types *; sub_filter foo bar; {pass} }
            location /many/ { sub_filter_types *; sub_filter foo bar; sub_filter_once off; {pass} }
            location /complex/ { sub_filter_types *; sub_filter abac _replaced; {pass} }
            location /single/ { sub_filter_types *; sub_filter A B; sub_filter_once off; {pass} }
            location /several/ { sub_filter_types *; sub_filter_once off; sub_filter abpatternyz +; sub_filter abpa -;
                sub_filter tter *; {pass} }
            location /variable/ { sub_filter_types *; sub_filter X$arg_a '${arg_a}_replaced'; {pass} }
            location /last-modified/ { sub_filter_types *; sub_filter foo bar; sub_filter_last_modified on; {pass} }
            location /sub-after/ { sub_filter foo bar; add_after_body /see; {pass} }
            location /gzip/ { gzip on; gzip_min_length 0; gzip_vary on; {pass} }
            location /gzip-late/ { gzip on; gzip_min_length 100; {pass} }
            location /gunzip/ { gunzip on; gzip_vary on; {pass} }
            location /gunzip-error { error_page 500 /gunzip/gzipped; return 500; }
            location /charset/ { charset utf-x; source_charset koi8-x; {pass} }
            location /charset-same/ { charset koi8-x; source_charset koi8-x; {pass} }
            location /charset-utf-8/ { charset utf-8; {pass} }
            location /test/ { image_filter test; howdah_param ACT image; {pass} }
            location /test-text/ { image_filter test; {pass} }
            location /size/ { image_filter size; howdah_param ACT image; {pass} }
            location /size-text/ { image_filter size; {pass} }
            location /resize/ { image_filter resize 10 12; howdah_param ACT image; {pass} }
            location /rotate/ { image_filter rotate 90; howdah_param ACT image; {pass} }
            location /crop/ { image_filter crop 60 80; howdah_param ACT image; {pass} }
            location /small/ { image_filter test; image_filter_buffer 100; howdah_param ACT image; {pass} }
            location /small-rotate/ { image_filter rotate 90; image_filter_buffer 20; howdah_param ACT image; {pass} }
            location /image-page/ { image_filter resize 10 12; error_page 415 = /empty; {pass} }
            location /image-page-php/ { image_filter resize 10 12; error_page 415 = /see; {pass} }
            location = /empty { return 204; }
            location /fields/ { add_header X-URI $uri; add_header X-Always $uri always; expires epoch; {pass} }
            location /max/ { expires max; {pass} }
            location /off/ { expires off; {pass} }
            location /ahead/ { expires 2048; {pass} }
            location /behind/ { expires -2048; {pass} }
            location /since/ { expires modified 2048; {pass} }
            location /trailing/ { add_trailer X-Var $host; add_trailer X-Always $host always; add_trailer X-Empty '';
                add_trailer X-Sent $sent_http_accept_ranges; {pass} }
            location /not-chunked/ { chunked_transfer_encoding off; add_trailer X-Var $host; {pass} }
            location /slow/ { limit_rate 1m; output_buffers 2 512; postpone_output 0; {pass} }
            NGINX;
    }

    public static function exchanges(): iterable
    {
        yield from self::substitutions();
        yield from self::compression();
        yield from self::charsets();
        yield from self::images();
        yield from self::fields();
        yield from self::trailers();
        yield from self::unchanged();
    }

    /** @return iterable<string, Exchange> */
    private static function substitutions(): iterable
    {
        $texts = [
            'once' => ['foo' => 'bar', 'FOO' => 'bar', 'foofoo' => 'barfoo'],
            'many' => ['foofoo' => 'barbar', 'fo' => 'fo', 'foofo' => 'barfo'],
            'complex' => ['abac' => '_replaced', 'abaabac' => 'aba_replaced', 'ababac' => 'ab_replaced'],
            'single' => ['A' => 'B', 'AA' => 'BB', 'CAAC' => 'CBBC', 'CA' => 'CB'],
            'several' => ['abpatternyzAabpaernyzB' => '+A-ernyzB', 'pattABCDEFGHI' => 'pattABCDEFGHI',
                'abpatternyABCDE' => '-*nyABCDE'],
        ];
        foreach ($texts as $place => $replaced) {
            foreach ($replaced as $text => $expected) {
                foreach ([1, 4, 1000] as $bytes) {
                    yield "$place: $text, by $bytes" => Exchange::get("/$place/pieces?n=$bytes&text=$text")->is(200, $expected);
                }
            }
        }
        yield 'with a variable' => Exchange::get('/variable/ssi?a=foo&text=aXFOO')->is(200, 'afoo_replaced');
        foreach (['abpatternyz' => 4000, 'abpatternyzA' => 4000, 'abpatternyzABCDEFGHIJ' => 4000] as $text => $times) {
            yield "across buffers: $text" => Exchange::get("/several/crossing?n=$times&text=$text")
                ->is(200, str_repeat('+' . substr($text, 11), $times));
        }
        yield 'what was held back comes before what is added' => Exchange::get('/sub-after/ssi?text=XXXXX')
            ->is(200, 'XXXXXSEE-THIS');
        yield 'and so a part of the pattern' => Exchange::get('/sub-after/ssi?text=XXXfo')->is(200, 'XXXfoSEE-THIS');
        yield 'the date goes' => Exchange::get('/once/modified')
            ->is(200, 'SEE-THIS', ['last-modified' => null, 'etag' => null]);
        yield 'or stays' => Exchange::get('/last-modified/modified')
            ->is(200, 'SEE-THIS', ['last-modified' => 'Mon, 28 Sep 1970 06:00:00 GMT', 'etag' => 'W/"59a5401c-8"']);
    }

    /** @return iterable<string, Exchange> */
    private static function compression(): iterable
    {
        $rows = '~^(X\d\d\dXXXXXX){100}$';
        $packed = ['content-encoding' => 'gzip', 'accept-ranges' => null];
        $plain = ['content-encoding' => null];
        $accept = 'Accept-Encoding: gzip';
        // gzip_http_version is 1.1.
        yield 'gzip' => Exchange::get('/gzip/xs?n=64', $accept)->is(200, "~^\x1f\x8b", $packed)->with('1.1', '2');
        yield 'gzip, in pieces' => Exchange::get('/gzip/parts', $accept)->is(200, "~^\x1f\x8b", $packed)->with('1.1', '2');
        yield 'gzip of much' => Exchange::get('/gzip/large', $accept)->is(200, "~^\x1f\x8b", $packed)->with('1.1', '2');
        yield 'the ETag of what is packed' => Exchange::get('/gzip/modified', $accept)
            ->is(200, null, ['etag' => 'W/"59a5401c-8"'] + $packed)->with('1.1', '2');
        yield 'gzip, HEAD' => Exchange::head('/gzip/xs?n=64', $accept)->is(200, '', $packed)->with('1.1', '2');
        yield 'no gzip, HEAD' => Exchange::head('/gzip/xs?n=64')->is(200, '', $plain);
        yield 'not asked for' => Exchange::get('/gzip/xs?n=64')
            ->is(200, str_repeat('X', 64), ['vary' => 'Accept-Encoding'] + $plain);
        yield 'a short page' => Exchange::get('/gzip-late/xs?n=64', $accept)->is(200, str_repeat('X', 64), $plain);
        yield 'packed by PHP' => Exchange::get('/gzip/gzipped', $accept)->is(200, "~^\x1f\x8b", $packed);
        yield 'gunzip' => Exchange::get('/gunzip/gzipped')->is(200, $rows, $plain + ['vary' => 'Accept-Encoding']);
        yield 'gunzip, HEAD' => Exchange::head('/gunzip/gzipped')->is(200, '', $plain + ['vary' => 'Accept-Encoding']);
        yield 'gunzip of several' => Exchange::get('/gunzip/gzipped-twice')->is(200, '~^(X\d\d\dXXXXXX){200}$', $plain);
        yield 'gunzip of nothing' => Exchange::get('/gunzip/gzipped-empty')->is(200, '', $plain);
        yield 'not for who wants it packed' => Exchange::get('/gunzip/gzipped', $accept)
            ->is(200, "~^\x1f\x8b", $packed)->with('1.1', '2');
        yield 'gunzip of an error page' => Exchange::get('/gunzip-error')->is(500, $rows, $plain);
        yield 'nothing to gunzip' => Exchange::get('/gunzip/rows')->is(200, $rows, ['vary' => null]);
    }

    /** @return iterable<string, Exchange> */
    private static function charsets(): iterable
    {
        $type = '/header?h[]=Content-Type:+text/html';
        yield 'recoded' => Exchange::get("/charset$type&text=XaX")
            ->is(200, 'YaY', ['content-type' => '~^text/html; charset=utf-x$']);
        yield 'not recoded' => Exchange::get("/charset-same$type%3B+charset=koi8-x&text=XaX")
            ->is(200, 'XaX', ['content-type' => '~charset=koi8-x$']);
        yield "PHP's own stays" => Exchange::get("/charset-utf-8$type%3B+charset=iso-8859-1")
            ->is(200, 'SEE-THIS', ['content-type' => '~^text/html; ?charset=iso-8859-1$']);
        yield 'X-Accel-Charset' => Exchange::get("/charset$type&h[]=X-Accel-Charset:+koi8-x&text=XaX")
            ->is(200, 'XaX', ['content-type' => '~charset=koi8-x$']);
        yield 'what is packed is not recoded' => Exchange::get('/charset/gzipped')
            ->is(200, "~^\x1f\x8b", ['content-encoding' => 'gzip']);
    }

    /** @return iterable<string, Exchange> */
    private static function images(): iterable
    {
        foreach (['gif', 'png', 'jpeg'] as $type) {
            foreach ([100000, 64] as $bytes) {
                $by = "by $bytes";
                $uri = "?type=$type&n=$bytes";
                yield "test, $type $by" => Exchange::get("/test/$uri")->is(200, null, ['content-type' => "image/$type"]);
                yield "size, $type $by" => Exchange::get("/size/$uri")
                    ->is(200, "~\"width\": 100, \"height\": 120, \"type\": \"$type\"", ['content-type' => 'application/json']);
                yield "turned in a small buffer, $type $by" => Exchange::get("/small-rotate/$uri")->is(415);
            }
        }
        yield 'more than the buffer holds' => Exchange::get('/small/?type=jpeg')->is(415);
        foreach (['resize' => [10, 12], 'rotate' => [120, 100], 'crop' => [60, 80]] as $place => [$width, $height]) {
            $size = preg_quote(pack('vv', $width, $height), '~');
            foreach ([100000, 64] as $bytes) {
                yield "$place, by $bytes" => Exchange::get("/$place/?type=gif&n=$bytes")
                    ->is(200, "~^GIF8.a$size", ['content-type' => 'image/gif']);
            }
        }
        // The filter looks for an image before it lets the head go: no upstream sends one with HEAD.
        yield 'test, HEAD' => Exchange::head('/test/?type=gif')->is(415);
        yield 'no image' => Exchange::get('/test-text/see')->is(415);
        yield 'the size of none' => Exchange::get('/size-text/see')->is(200, "{}\r\n", ['content-type' => 'application/json']);
        yield 'a page for it' => Exchange::get('/image-page/see')->is(204, '');
        yield "a page of PHP's for it" => Exchange::get('/image-page-php/xs?n=100')->is(200, 'SEE-THIS');
        yield 'for much' => Exchange::get('/image-page/large')->is(204, '');
    }

    /** @return iterable<string, Exchange> */
    private static function fields(): iterable
    {
        $date = 'Thu, 01 Jan 1970 00:00:01 GMT';
        yield 'add_header' => Exchange::get('/fields/see')
            ->is(200, 'SEE-THIS', ['x-uri' => '/fields/see', 'x-always' => '/fields/see',
            'expires' => $date, 'cache-control' => 'no-cache']);
        yield 'add_header, 404' => Exchange::get('/fields/none')->is(404, null, ['x-uri' => null, 'x-always' => '/fields/none',
            'expires' => null]);
        yield 'expires max' => Exchange::get('/max/see')->is(200, 'SEE-THIS', ['expires' => '~2037']);
        yield 'expires off' => Exchange::get('/off/see')->is(200, 'SEE-THIS', ['expires' => null]);
        yield 'expires' => Exchange::get('/ahead/see')->is(200, 'SEE-THIS', ['cache-control' => 'max-age=2048']);
        yield 'expires, negative' => Exchange::get('/behind/see')->is(200, 'SEE-THIS', ['cache-control' => 'no-cache']);
        yield 'expires modified' => Exchange::get('/since/modified')
            ->is(200, 'SEE-THIS', ['expires' => 'Mon, 28 Sep 1970 06:34:08 GMT']);
        yield "in the place of PHP's" => Exchange::get('/ahead/header?h[]=Cache-Control:+private&h[]=Expires:+0')
            ->is(200, 'SEE-THIS', ['cache-control' => 'max-age=2048', 'expires' => '~GMT$']);
    }

    /** @return iterable<string, Exchange> */
    private static function trailers(): iterable
    {
        // With HTTP/2 they come behind a Content-Length, where curl 7.88 has gone.
        yield 'add_trailer' => Exchange::get('/trailing/see')->is(200, 'SEE-THIS', ['x-var' => null, 'content-length' => null])
            ->trailing(['x-var' => 'filters.test', 'x-always' => 'filters.test'])->with('1.1');
        yield 'add_trailer, 404' => Exchange::get('/trailing/none')->is(404, 'no such act', ['x-always' => null])
            ->trailing(['x-always' => 'filters.test'])->with('1.1');
        yield 'add_trailer of what PHP sent' => Exchange::get('/trailing/modified')->is(200, 'SEE-THIS')
            ->trailing(['x-var' => 'filters.test', 'x-always' => 'filters.test', 'x-sent' => 'bytes'])->with('1.1');
        yield 'none with HTTP/1.0' => Exchange::get('/trailing/see')->is(200, 'SEE-THIS')->with('1.0');
        yield 'none with HEAD' => Exchange::head('/trailing/see')->is(200, '')->with('1.1');
        yield 'none without chunks' => Exchange::get('/not-chunked/see')->is(200, 'SEE-THIS')->with('1.1');
        yield "PHP's" => Exchange::get('/trailers')->is(200, 'SEE-THIS')
            ->trailing(['x-trailer' => 'foo', 'x-another' => 'bar'])->with('1.1', '2');
    }

    /** @return iterable<string, Exchange> */
    private static function unchanged(): iterable
    {
        $whole = ['content-range' => null, 'accept-ranges' => 'bytes'];
        yield 'ranges are not of what PHP made' => Exchange::get('/modified', 'Range: bytes=4-')->is(200, 'SEE-THIS', $whole);
        yield 'nor several' => Exchange::get('/modified', 'Range: bytes=0-2,4-')->is(200, 'SEE-THIS', $whole);
        yield 'nor behind the end' => Exchange::get('/modified', 'Range: bytes=1000-')->is(200, 'SEE-THIS', $whole);
        yield 'whether it changed PHP says' => Exchange::get('/modified', 'If-Modified-Since: Mon, 28 Sep 1970 06:00:00 GMT')
            ->is(200, 'SEE-THIS');
        yield 'by its ETag, too' => Exchange::get('/modified', 'If-None-Match: "59a5401c-8"')->is(200, 'SEE-THIS');
        yield 'nor is it nginx that refuses' => Exchange::get('/modified', 'If-Match: tt')->is(200, 'SEE-THIS');
        yield 'a lot, slowly' => Exchange::get('/slow/xs?n=100000')->is(200, str_repeat('X', 100000));
    }
}
