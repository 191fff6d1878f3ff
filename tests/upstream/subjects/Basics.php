<?php

declare(strict_types=1);

namespace Howdah\Tests\Upstream\Subjects;

use Howdah\Tests\Upstream\Exchange;
use Howdah\Tests\Upstream\Stage;
use Howdah\Tests\Upstream\Subject;

/** Heads, bodies and their ends: fastcgi*.t, proxy*.t, body.t, body_chunked.t. */
final class Basics implements Subject
{
    public static function locations(): string
    {
        return <<<'NGINX'
            howdah_param LEVEL "server";
            location / { {pass} }
            location /plain/ { {plain} }
            location /after/ { add_after_body /say-after; {pass} }
            location /sub/ { sub_filter foo bar; sub_filter_types *; {pass} }
            location /gzip/ { gzip on; gzip_min_length 0; {pass} }
            location /own/ { howdah_param HTTP_X_BLAH "custom"; {pass} }
            location /blah/ { howdah_param HTTP_X_BLAH "blah"; {pass} }
            location /split/ { fastcgi_split_path_info ^(.+\.php)(.*)$; fastcgi_index index.php;
                add_header X-Script $fastcgi_script_name; add_header X-Path-Info $fastcgi_path_info;
                howdah_param ACT see; {pass} }
            location /file/ { client_body_in_file_only clean; {pass} }
            location /small/ { client_body_buffer_size 1k; {pass} }
            location /single/ { client_body_in_single_buffer on; {pass} }
            location /limited/ { client_max_body_size 1k; {pass} }
            location /stream/ { howdah_request_buffering off; client_body_buffer_size 1k; {pass} }
            location /stream-limited/ { howdah_request_buffering off; client_max_body_size 1k; {pass} }
            location /discard { return 200 "TEST"; }
            location /sent { add_header X-Sent-Cache $sent_http_cache_control; add_header X-Sent-Bar $sent_http_bar;
                add_header X-Type $sent_http_content_type; {pass} }
            location /made/ { add_header X-Made-Bar $howdah_http_bar; add_header X-Made-Type $howdah_http_content_type;
                add_header X-Made-None x$howdah_http_none; add_header X-Made-Location $howdah_http_location; {pass} }
            location /slash/ { {pass} }
            location /outer { {pass}
                if ($arg_if) { set $unused 1; }
                limit_except GET POST { deny all; }
                location /outer/inner { if ($arg_if) { set $unused 1; } }
            }
            location /inside-if { set $true 1; if ($true) { {pass} } if ($true) { set $unused 1; } }
            location = /say-after { return 200 ":after"; }
            NGINX;
    }

    public static function exchanges(): iterable
    {
        yield from self::heads();
        yield from self::ends();
        yield from self::bodies();
        yield from self::variables();
        yield from self::places();
    }

    /** @return iterable<string, Exchange> */
    private static function heads(): iterable
    {
        yield 'a page' => Exchange::get('/see')->is(200, 'SEE-THIS');
        yield 'in pieces' => Exchange::get('/parts')->is(200, "SEE-THIS\nAND-THIS");
        yield 'a redirect' => Exchange::get('/redirect')->is(302, 'SEE-THIS', ['location' => 'http://localhost/redirect']);
        yield 'HEAD' => Exchange::head('/see')->is(200, '');
        yield 'HEAD in pieces' => Exchange::head('/parts')->is(200, '');
        yield 'much on stderr' => Exchange::get('/stderr')->is(200, 'SEE-THIS');
        yield 'no page' => Exchange::get('/none')->is(404, 'no such act');
        yield 'an exception' => Exchange::get('/throws')->is(500);
        yield 'an unknown method' => Exchange::get('/tell?name[]=REQUEST_METHOD')->is(200, 'REQUEST_METHOD=GET;');
        yield 'several of a name' => Exchange::get('/multi-headers')->is(200, '', ['set-cookie' => 'foo=1, bar=2, bazz=3',
            'cache-control' => 'foo=1, bar=2, bazz=3', 'link' => 'foo=1, bar=2, bazz=3', 'bar' => 'foo=1, bar=2, bazz=3']);
        yield 'as variables' => Exchange::get('/sent/multi-headers')->is(200, '', ['x-sent-cache' => 'foo=1, bar=2, bazz=3']);
        yield 'the type as variable' => Exchange::get('/sent/header?h[]=Content-Type:+text/plain')
            ->is(200, 'SEE-THIS', ['x-type' => '~^text/plain']);
        yield "PHP's as variables" => Exchange::get('/made/header?h[]=Content-Type:+text/x&h[]=Bar:+foo&h[]=Location:+/y')
            ->is(302, 'SEE-THIS', ['x-made-bar' => 'foo', 'x-made-type' => '~^text/x', 'x-made-location' => '/y',
                'x-made-none' => 'x']);
        yield 'a length that is none' => Exchange::get('/header?h[]=Content-Length:+foo')->is(200, 'SEE-THIS');
        yield 'a transfer coding of PHP' => Exchange::get('/header?h[]=Transfer-Encoding:+foo')->is(200, 'SEE-THIS');
        yield 'a connection header of PHP' => Exchange::get('/header?h[]=Connection:+x')->is(200, 'SEE-THIS');
        yield 'early hints' => Exchange::get('/early')->is(200, 'SEE-THIS', ['x-final' => 'yes'])->with('1.1', '2');
    }

    /**
     * proxy_extra_data.t, fastcgi_extra_data.t, proxy_unfinished.t: too little is never taken for all, whatever a filter adds.
     *
     * @return iterable<string, Exchange>
     */
    private static function ends(): iterable
    {
        foreach (['', '/after', '/sub', '/gzip'] as $place) {
            $after = $place === '/after' ? ':after' : '';
            yield "more than announced $place" => Exchange::get("$place/extra")->is(200, "SEE-THIS$after");
            yield "more, in pieces $place" => Exchange::get("$place/extra-flushed")->is(200, "SEE-THIS$after");
            yield "announced none $place" => Exchange::get("$place/zero")->is(200, $after);
            yield "less than announced $place" => Exchange::get("$place/short")->is(200, '~^SEE-THIS$')->unfinished();
            yield "less, in pieces $place" => Exchange::get("$place/short-flushed")->is(200, '~^SEE-THIS$')->unfinished();
            yield "none of it $place" => Exchange::get("$place/short-empty")->is(200, '~^$')->unfinished();
            yield "HEAD: more $place" => Exchange::head("$place/extra")->is(200, '');
            yield "HEAD: less $place" => Exchange::head("$place/short")->is(200, '');
            yield "HEAD: none $place" => Exchange::head("$place/short-empty")->is(200, '');
        }
    }

    /** @return iterable<string, Exchange> */
    private static function bodies(): iterable
    {
        $two = str_repeat('0123456789', 128);
        $many = str_repeat('0123456789', 4096);
        foreach (['', '/file', '/small', '/single', '/stream'] as $place) {
            yield "no body $place" => Exchange::get("$place/body")->is(200, '_eos');
            yield "an empty one $place" => Exchange::post("$place/body", '')->is(200, '_eos');
            yield "a body $place" => Exchange::post("$place/body", 'foobar')->is(200, 'foobar_eos');
            yield "two buffers $place" => Exchange::post("$place/body", $two)->is(200, "{$two}_eos");
            yield "many $place" => Exchange::post("$place/body", $many)->is(200, "{$many}_eos");
            yield "chunked $place" => Exchange::post("$place/body", 'foobar')->chunked()->is(200, 'foobar_eos');
            yield "empty, chunked $place" => Exchange::post("$place/body", '')->chunked()->is(200, '_eos');
            yield "two buffers, chunked $place" => Exchange::post("$place/body", $two)->chunked()->is(200, "{$two}_eos");
            yield "many, chunked $place" => Exchange::post("$place/body", $many)->chunked()->is(200, "{$many}_eos");
            yield "a body that nobody reads $place" => Exchange::post("$place/body-unread", $many)->is(200, 'SEE-THIS');
        }
        yield 'its length' => Exchange::post('/body-header', $many)
            ->is(200, '', ['x-length' => '40960', 'x-announced' => '40960']);
        yield 'its length, chunked' => Exchange::post('/body-header', $many)->chunked()
            ->is(200, '', ['x-length' => '40960', 'x-announced' => '40960']);
        // With HTTP/2 nginx resets the stream behind its 413: whether curl has read that by then is chance.
        yield 'too large' => Exchange::post('/limited/body', $two)->is(413)->with('1.0', '1.1');
        yield 'too large, chunked' => Exchange::post('/limited/body', $two)->chunked()->is(413)->with('1.1');
        yield 'too large, not buffered' => Exchange::post('/stream-limited/body', $two)->is(413)->with('1.0', '1.1');
        yield 'none for PHP' => Exchange::post('/discard', $many)->is(200, 'TEST')->with('1.0', '1.1');
    }

    /**
     * fastcgi_header_params.t, fastcgi_merge_params.t, fastcgi_variables.t, http_headers_multi.t
     *
     * @return iterable<string, Exchange>
     */
    private static function variables(): iterable
    {
        $tell = 'tell?name[]=HTTP_X_BLAH&name[]=LEVEL';
        $ignored = array_fill(0, 20, 'X-Blah: ignored');
        yield 'a header in the place of many' => Exchange::get("/blah/$tell", ...$ignored)
            ->is(200, 'HTTP_X_BLAH=blah;LEVEL=none;');
        yield 'of this level alone' => Exchange::get("/own/$tell")->is(200, 'HTTP_X_BLAH=custom;LEVEL=none;');
        yield 'of the level above' => Exchange::get("/plain/$tell")->is(200, 'HTTP_X_BLAH=none;LEVEL=server;');
        // nginx joins them since 1.23; before, what PHP takes of several is the last one. Those of HTTP/2 it always joined.
        $joined = version_compare(Stage::nginxVersion(), '1.23', '>=');
        yield 'several of a request header' => Exchange::get(
            '/tell?name[]=HTTP_X_FORWARDED_FOR',
            'X-Forwarded-For: foo',
            'X-Forwarded-For: bar',
            'X-Forwarded-For: bazz',
        )->is(200, 'HTTP_X_FORWARDED_FOR=' . ($joined ? 'foo, bar, bazz;' : 'bazz;'));
        $cookies = Exchange::get('/tell?name[]=HTTP_COOKIE', 'Cookie: foo', 'Cookie: bar', 'Cookie: bazz');
        yield 'several cookies' => $cookies
            ->is(200, 'HTTP_COOKIE=' . ($joined ? 'foo; bar; bazz;' : 'bazz;'))->with('1.0', '1.1');
        yield 'several cookies, HTTP/2' => $cookies->is(200, 'HTTP_COOKIE=foo; bar; bazz;')->with('2');
        yield 'those about changes' => Exchange::get(
            '/tell?name[]=HTTP_IF_MODIFIED_SINCE&name[]=HTTP_IF_UNMODIFIED_SINCE',
            'If-Modified-Since: blah',
            'If-Unmodified-Since: blah',
        )->is(200, 'HTTP_IF_MODIFIED_SINCE=blah;HTTP_IF_UNMODIFIED_SINCE=blah;');
        yield 'the index' => Exchange::get('/split/')->is(200, 'SEE-THIS', ['x-script' => '/split/index.php']);
        yield 'the path info' => Exchange::get('/split/info.php/path/info')
            ->is(200, 'SEE-THIS', ['x-script' => '/split/info.php', 'x-path-info' => '/path/info']);
    }

    /**
     * proxy_if.t, http_location_auto.t
     *
     * @return iterable<string, Exchange>
     */
    private static function places(): iterable
    {
        yield 'a slash is added' => Exchange::get('/slash')->is(301, null, ['location' => '~/slash/$']);
        yield 'beside an if' => Exchange::get('/outer/see')->is(200, 'SEE-THIS');
        yield 'within an if' => Exchange::get('/outer/see?if=1')->is(200, 'SEE-THIS');
        yield 'not in an inner location' => Exchange::get('/outer/inner/see')->is(404);
        yield 'nor within its if' => Exchange::get('/outer/inner/see?if=1')->is(404);
        yield 'beside limit_except' => Exchange::post('/outer/body', 'x')->is(200, 'x_eos');
        yield 'within limit_except' => Exchange::get('/outer/see')->is(200, 'SEE-THIS');
        yield 'in one if, and then another' => Exchange::get('/inside-if/see')->is(500);
    }
}
