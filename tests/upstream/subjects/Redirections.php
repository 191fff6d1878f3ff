<?php

declare(strict_types=1);

namespace Howdah\Tests\Upstream\Subjects;

use Howdah\Tests\Upstream\Exchange;
use Howdah\Tests\Upstream\Subject;

/**
 * Who answers in whose place, and when: error_page, try_files, X-Accel-Redirect (proxy_xar.t), limit_req*.t, limit_conn*.t,
 * limit_rate.t.
 */
final class Redirections implements Subject
{
    public static function locations(): string
    {
        return <<<'NGINX'
            location / { {pass} }
            location /lost/ { error_page 404 = /see; alias /nonexistent/; }
            location /lost-named/ { error_page 404 = @php; alias /nonexistent/; }
            location /lost-404/ { error_page 404 /see; alias /nonexistent/; }
            location /lost-twice/ { error_page 404 = /missing; alias /nonexistent/; recursive_error_pages on; }
            location /denied/ { error_page 403 = /body; deny all; }
            location /too-large/ { client_max_body_size 10; error_page 413 = /see; {pass} }
            location /not-intercepted/ { error_page 404 500 /own; {pass} }
            location = /own { return 200 "intercepted"; }
            location @php { howdah_param ACT see; {pass} }
            location /tried/ { try_files $uri /see; }
            location /tried-named/ { try_files $uri @php; }
            location /tried-status/ { try_files $uri =404; {pass} }
            location /rewritten/ { rewrite ^/rewritten/(.*)$ /$1 last; }
            location /broken-off/ { rewrite ^/broken-off/(.*)$ /$1 break; {pass} }
            location /file/ { internal; alias {www}/; }
            location /held/ { limit_conn single 1; {pass} }
            location /held-501/ { limit_conn single 1; limit_conn_status 501; {pass} }
            location /counted/ { limit_req zone=seldom; {pass} }
            location /counted-501/ { limit_req zone=seldom; limit_req_status 501; {pass} }
            location /delayed/ { limit_req zone=often burst=20; {pass} }
            location /counted-dry/ { limit_req zone=seldom; limit_req_dry_run on; {pass} }
            location /slow/ { limit_rate 2m; limit_rate_after 256; {pass} }
            NGINX;
    }

    public static function exchanges(): iterable
    {
        yield from self::pages();
        yield from self::accelerated();
        yield 'a limit of the rate' => Exchange::get('/slow/large')->is(200, str_repeat('0123456789abcdef', 65536));
        yield 'a limit without effect' => Exchange::get('/counted-dry/see?key=dry')->is(200, 'SEE-THIS');
        yield 'later than asked' => Exchange::get('/delayed/xs?n=500000&key=later')->is(200, str_repeat('X', 500000));
        yield 'with a body, later than asked' => Exchange::post('/delayed/body?key=body', str_repeat('x', 50000))
            ->is(200, str_repeat('x', 50000) . '_eos');
    }

    /** @return iterable<string, Exchange> */
    private static function pages(): iterable
    {
        $body = str_repeat('0123456789', 2000);
        yield 'a page for what is not there' => Exchange::get('/lost/x')->is(200, 'SEE-THIS');
        yield 'by a named location' => Exchange::get('/lost-named/x')->is(200, 'SEE-THIS');
        yield 'with its own status' => Exchange::get('/lost-404/x')->is(404, 'SEE-THIS');
        yield 'which is not there either' => Exchange::get('/lost-twice/x')->is(404, 'no such act');
        yield 'HEAD' => Exchange::head('/lost/x')->is(200, '');
        yield 'a GET in the place of a POST' => Exchange::post('/denied/x', $body)->is(200)->with('1.0', '1.1');
        yield 'a named location keeps the method' => Exchange::post('/lost-named/x', $body)->is(200, 'SEE-THIS');
        yield 'a body that is too large' => Exchange::post('/too-large/body', $body)->is(200, 'SEE-THIS')->with('1.0', '1.1');
        yield "PHP's own error page stays" => Exchange::get('/not-intercepted/missing')->is(404, 'no such act');
        yield 'try_files' => Exchange::get('/tried/x')->is(200, 'SEE-THIS');
        yield 'try_files of a named location' => Exchange::get('/tried-named/x')->is(200, 'SEE-THIS');
        yield 'try_files with a status' => Exchange::get('/tried-status/x')->is(404, '~nginx');
        yield 'try_files, with a body' => Exchange::post('/tried-named/x', $body)->is(200, 'SEE-THIS');
        yield 'rewritten' => Exchange::get('/rewritten/see')->is(200, 'SEE-THIS');
        yield 'rewritten, with a body' => Exchange::post('/rewritten/body', $body)->is(200, "{$body}_eos");
        yield 'rewritten, and served here' => Exchange::get('/broken-off/see')->is(200, 'SEE-THIS');
    }

    /** @return iterable<string, Exchange> */
    private static function accelerated(): iterable
    {
        $kept = ['content-type' => '~^text/blah', 'set-cookie' => 'blah=blah', 'content-disposition' => 'attachment',
            'cache-control' => 'no-cache', 'expires' => 'fake', 'something' => null, 'x-accel-redirect' => null];
        yield 'a file' => Exchange::get('/accel?to=/file/page.html')->is(200, 'static', $kept);
        yield 'another script' => Exchange::get('/accel?to=/see')->is(200, 'SEE-THIS', ['content-type' => '~^text/html',
            'set-cookie' => 'blah=blah', 'something' => null]);
        yield 'the method is GET' => Exchange::post('/accel?to=/tell%3Fname[]=REQUEST_METHOD', 'x')
            ->is(200, 'REQUEST_METHOD=GET;');
        yield 'a body that was read' => Exchange::post('/accel?read=1&to=/see', str_repeat('x', 20000))->is(200, 'SEE-THIS');
        yield 'a named location' => Exchange::get('/accel?to=@php')->is(200, 'SEE-THIS');
        yield 'with a query' => Exchange::get('/accel?to=/xs%3Fn=3')->is(200, 'XXX');
        yield 'escaped' => Exchange::get('/accel?to=/s%2565e')->is(200, 'SEE-THIS');
        foreach (['..', '../foo', '/foo/..', '/foo/.%252e'] as $unsafe) {
            yield "unsafe: $unsafe" => Exchange::get("/accel?to=$unsafe")->is(404);
        }
    }
}
