<?php

declare(strict_types=1);

namespace Howdah\Tests\Upstream\Subjects;

use Howdah\Tests\Upstream\Exchange;
use Howdah\Tests\Upstream\Subject;

/**
 * PHP within PHP's page, before it and behind it: ssi*.t, proxy_ssi_body.t, addition*.t, auth_request*.t, mirror*.t,
 * post_action.t.
 */
final class Subrequests implements Subject
{
    private const AUTHORIZED = 'Authorization: Basic dXNlcjpzZWNyZXQ=';

    public static function locations(): string
    {
        return <<<'NGINX'
            location / { {pass} }
            location /ssi/ { ssi on; {pass} }
            location /ssi-file/ { ssi on; client_body_in_file_only on; {pass} }
            location /ssi-small/ { ssi on; sendfile_max_chunk 100; postpone_output 0; output_buffers 2 512; {pass} }
            location /ssi-gzip/ { ssi on; gzip on; gzip_min_length 0; {pass} }
            location /ssi-gunzip/ { ssi on; {pass} }
            location /gunzip/ { gunzip on; {pass} }
            location /memory/ { subrequest_output_buffer_size 42; {pass} }
            location /before/ { add_before_body /see; {pass} }
            location /behind/ { add_after_body /see; {pass} }
            location /around/ { add_before_body /parts; add_after_body /ssi/include; {pass} }
            location /static-around { add_before_body /see; add_after_body /parts; return 200 "-"; }
            location /unknown/ { add_before_body /missing; {pass} }
            location /other-types/ { addition_types text/x; add_after_body /see; {pass} }

            location = /auth { howdah_param ACT auth; {pass} }
            location = /auth2 { howdah_param ACT auth; howdah_param NAMED username2; {pass} }
            location = /auth-404 { howdah_param ACT none; {pass} }
            location = /auth-500 { howdah_param ACT throws; {pass} }
            location = /auth-slow { howdah_param ACT late-parts; {pass} }
            location /guarded/ { auth_request /auth; auth_request_set $username $howdah_http_x_username;
                add_header X-Set-Username $username; {pass} }
            location /guarded-404/ { auth_request /auth-404; {pass} }
            location /guarded-500/ { auth_request /auth-500; {pass} }
            location /guarded-slow/ { auth_request /auth-slow; {pass} }
            location /guarded-stream/ { auth_request /auth; howdah_request_buffering off; {pass} }
            location /guarded-file/ { auth_request /auth; client_body_buffer_size 512; {pass} }
            location /guarded-static/ { auth_request /auth; auth_request_set $username $howdah_http_x_username;
                add_header X-Set-Username $username; alias {www}/; }
            location /guarded-page/ { auth_request /auth; auth_request_set $username $howdah_http_x_username;
                error_page 404 = /fallback; alias /nonexistent/; }
            location = /fallback { auth_request /auth2; auth_request_set $username $howdah_http_x_username;
                add_header X-Set-Username $username; {pass} howdah_param ACT see; }
            location /guarded-twice/ { auth_request /auth; error_page 401 = /fallback2; {pass} }
            location = /fallback2 { add_header X-Set-Username none; return 200 "no entry"; }
            location /satisfied/ { satisfy any; deny all; auth_request /auth; {pass} }

            location /mirrored/ { mirror /mirror; {pass} }
            location /mirrored-twice/ { mirror /mirror; mirror /mirror2; {pass} }
            location /mirrored-bodiless/ { mirror /mirror; mirror_request_body off; {pass} }
            location /mirrored-stream/ { mirror /mirror; howdah_request_buffering off; {pass} }
            location = /mirror { internal; howdah_param ACT body; {pass} }
            location = /mirror2 { internal; howdah_param ACT late-parts; {pass} }
            location /mirrored-late/ { mirror /mirror2; {pass} }

            location /posted/ { post_action /post; {pass} }
            location /posted-static { post_action /post; return 200 "SEE-THIS"; }
            location = /post { internal; howdah_param ACT late-parts; {pass} }
            NGINX;
    }

    public static function exchanges(): iterable
    {
        yield from self::includes();
        yield from self::additions();
        yield from self::authorizations();
        yield from self::mirrors();
    }

    private static function page(string $text, string $place = '/ssi'): string
    {
        return "$place/ssi?text=" . rawurlencode($text);
    }

    private static function include(string $uri, string $more = ''): string
    {
        return "<!--#include virtual=\"$uri\" $more-->";
    }

    /** @return iterable<string, Exchange> */
    private static function includes(): iterable
    {
        yield 'a variable' => Exchange::get(self::page('X<!--#echo var="arg_test" -->X') . '&test=test')->is(200, 'XtestX');
        yield 'one that is not there' => Exchange::get(self::page('X<!--#echo var="arg_test" -->X'))->is(200, 'X(none)X');
        foreach (['none' => '<test>', 'url' => '%3Ctest%3E', 'entity' => '&lt;test&gt;'] as $encoding => $expected) {
            $set = '<!--#set var="blah" value="<test>" --><!--#echo var="blah" encoding="' . $encoding . '" -->';
            yield "as $encoding" => Exchange::get(self::page("X{$set}X"))->is(200, "X{$expected}X");
        }
        yield 'an include' => Exchange::get(self::page('X' . self::include('/see') . 'X'))
            ->is(200, 'XSEE-THISX', ['last-modified' => null, 'accept-ranges' => null, 'content-length' => null]);
        $inner = rawurlencode('<!--#echo var="arg_test" -->');
        yield 'with a query' => Exchange::get(self::page('X' . self::include("/ssi/ssi?test=inner&text=$inner") . 'X'))
            ->is(200, 'XinnerX');
        yield 'of nothing' => Exchange::get(self::page('X' . self::include('/nothing') . 'X'))->is(200, 'XX');
        yield 'of nothing, in small pieces' => Exchange::get(self::page('X' . self::include('/nothing') . 'X', '/ssi-small'))
            ->is(200, 'XX');
        yield 'of what is not there' => Exchange::get(self::page('X' . self::include('/missing') . 'X'))
            ->is(200, 'Xno such actX');
        yield 'of what fails' => Exchange::get(self::page('X' . self::include('/throws') . 'X'))->is(200, 'XX');
        yield 'of what is redirected' => Exchange::get(self::page('X' . self::include('/redirect') . 'X'))
            ->is(200, 'XSEE-THISX');
        yield 'of what comes in pieces' => Exchange::get(self::page('X' . self::include('/parts') . 'X'))
            ->is(200, "XSEE-THIS\nAND-THISX");
        yield 'of what comes late' => Exchange::get(self::page('X' . self::include('/late') . 'X'))
            ->is(200, '~^Xy{1024}SEE-THISX$');
        $held = self::page(str_repeat('x', 100) . self::include('/late'), '/ssi-small');
        yield 'late, behind what is held back' => Exchange::get($held)
            ->is(200, '~^x{100}y{1024}SEE-THIS$');
        $all = self::include('/late-parts') . '-' . self::include('/parts') . '-' . self::include('/nothing') . '-'
            . self::include('/late-parts') . self::include('/see');
        yield 'several at once, in their order' => Exchange::get(self::page($all))
            ->is(200, "abc-SEE-THIS\nAND-THIS--abcSEE-THIS");
        $waited = self::include('/late-parts', 'wait="yes" ');
        yield 'and one waited for' => Exchange::get(self::page($waited . self::include('/see')))
            ->is(200, 'abcSEE-THIS');
        $deep = self::page(self::include('/ssi/include?uri=/ssi/include'));
        yield 'within an include' => Exchange::get($deep)->is(200, 'SEE-THIS');
        foreach ([1023, 1024, 1025, 100000] as $length) {
            foreach (['/ssi', '/ssi-small'] as $place) {
                $long = self::include('/nothing') . self::include("/xs?n=$length");
                yield "much: $length $place" => Exchange::get(self::page($long, $place))
                    ->is(200, str_repeat('X', $length));
            }
        }
        yield 'many, while the page is still made' => Exchange::get('/ssi/include-many?n=20&uri=/see')
            ->is(200, '~^(\d+:SEE-THIS; {5000}){20}$');
        yield 'many late ones' => Exchange::get('/ssi/include-many?n=8&uri=/late-parts')->is(200, '~^(\d+:abc; {5000}){8}$');
        yield 'packed' => Exchange::get(self::page(self::include('/xs?n=5000'), '/ssi-gzip'), 'Accept-Encoding: gzip')
            ->is(200, "~^\x1f\x8b", ['content-encoding' => 'gzip'])->with('1.1', '2');
        yield 'of what was packed' => Exchange::get(self::page('xxx ' . self::include('/gunzip/gzipped') . ' xxx'))
            ->is(200, '~^xxx (X\d\d\dXXXXXX){100} xxx$', ['content-encoding' => null]);
        $set = 'set: <!--#echo var="x" -->';
        $kept = static fn (string $uri): string => self::page(self::include($uri, 'set="x" ') . $set);
        yield 'kept in a variable' => Exchange::get($kept('/see'))
            ->is(200, 'set: SEE-THIS');
        yield 'in pieces, in a variable' => Exchange::get($kept('/parts'))
            ->is(200, "set: SEE-THIS\nAND-THIS");
        yield 'late, in a variable' => Exchange::get($kept('/late-parts'))
            ->is(200, 'set: abc');
        $values = ['/memory/xs?n=42' => str_repeat('X', 42), '/memory/nothing' => '', '/xs?n=400' => str_repeat('X', 400)];
        foreach ($values as $uri => $value) {
            yield "kept: $uri" => Exchange::get($kept($uri))
                ->is(200, "set: $value");
        }
        $file = self::page('X' . self::include('/see') . 'X', '/ssi-file');
        yield 'a body in a file, and an include' => Exchange::post($file, '1234567890')
            ->is(200, 'XSEE-THISX');
        yield 'the include has the body, too' => Exchange::post(self::page('X' . self::include('/body') . 'X'), '1234567890')
            ->is(200, 'X1234567890_eosX');
        yield 'HEAD' => Exchange::head(self::page('X' . self::include('/see') . 'X'))->is(200, '');
    }

    /** @return iterable<string, Exchange> */
    private static function additions(): iterable
    {
        yield 'before' => Exchange::get('/before/parts')->is(200, "SEE-THISSEE-THIS\nAND-THIS", ['content-length' => null]);
        yield 'behind' => Exchange::get('/behind/parts')->is(200, "SEE-THIS\nAND-THISSEE-THIS");
        yield 'both' => Exchange::get('/around/late-parts')->is(200, "SEE-THIS\nAND-THISabcSEE-THIS");
        yield 'around what is not of PHP' => Exchange::get('/static-around')->is(200, "SEE-THIS-SEE-THIS\nAND-THIS");
        yield 'an addition that is not there' => Exchange::get('/unknown/see')->is(200, 'no such actSEE-THIS');
        yield 'not to every type' => Exchange::get('/other-types/header?h[]=Content-Type:+text/plain')->is(200, 'SEE-THIS');
        $large = str_repeat('0123456789abcdef', 65536);
        yield 'before much' => Exchange::get('/before/large')->is(200, "SEE-THIS$large");
        yield 'behind much' => Exchange::get('/behind/large')->is(200, "{$large}SEE-THIS");
        yield 'HEAD of an addition' => Exchange::head('/before/see')->is(200, '');
    }

    /** @return iterable<string, Exchange> */
    private static function authorizations(): iterable
    {
        $asked = ['www-authenticate' => 'Basic realm="restricted"'];
        $named = ['x-set-username' => 'username'];
        yield 'refused' => Exchange::get('/guarded/see')->is(401, '~401', $asked);
        yield 'refused a post' => Exchange::post('/guarded/body', 'x')->is(401, '~401', $asked)->with('1.0', '1.1');
        yield 'let in' => Exchange::get('/guarded/see', self::AUTHORIZED)->is(200, 'SEE-THIS', $named);
        yield 'with a body' => Exchange::post('/guarded/body', str_repeat('0123456789', 1024), self::AUTHORIZED)
            ->is(200, str_repeat('0123456789', 1024) . '_eos', $named);
        yield 'with a body in chunks' => Exchange::post('/guarded/body', str_repeat('0123456789', 200), self::AUTHORIZED)
            ->chunked()->is(200, str_repeat('0123456789', 200) . '_eos');
        yield 'with a body in a file' => Exchange::post('/guarded-file/body', str_repeat('A', 600), self::AUTHORIZED)
            ->is(200, str_repeat('A', 600) . '_eos');
        yield 'with a body that comes later' => Exchange::post('/guarded-stream/body', str_repeat('A', 40000), self::AUTHORIZED)
            ->is(200, str_repeat('A', 40000) . '_eos');
        yield 'refused by an error' => Exchange::get('/guarded-404/see')->is(500);
        yield 'refused by a failure' => Exchange::get('/guarded-500/see')->is(500);
        yield 'let in late' => Exchange::get('/guarded-slow/see')->is(200, 'SEE-THIS');
        yield 'before what is not of PHP' => Exchange::get('/guarded-static/page.html', self::AUTHORIZED)
            ->is(200, 'static', $named);
        yield 'asked again behind error_page' => Exchange::get('/guarded-page/x', self::AUTHORIZED)
            ->is(200, 'SEE-THIS', ['x-set-username' => 'username2']);
        yield 'a page for who is refused' => Exchange::get('/guarded-twice/see')
            ->is(200, 'no entry', ['x-set-username' => 'none']);
        yield 'one of two suffices' => Exchange::get('/satisfied/see', self::AUTHORIZED)->is(200, 'SEE-THIS');
        yield 'but none does not' => Exchange::get('/satisfied/see')->is(401);
        yield 'HEAD, let in' => Exchange::head('/guarded/see', self::AUTHORIZED)->is(200, '', $named);
    }

    /** @return iterable<string, Exchange> */
    private static function mirrors(): iterable
    {
        $large = str_repeat('0123456789', 4096);
        foreach (['/mirrored', '/mirrored-twice', '/mirrored-bodiless', '/mirrored-stream', '/mirrored-late'] as $place) {
            yield "no body $place" => Exchange::get("$place/see")->is(200, 'SEE-THIS');
            yield "a body $place" => Exchange::post("$place/body", '1234567890')->is(200, '1234567890_eos');
            yield "a large one $place" => Exchange::post("$place/body", $large)->is(200, "{$large}_eos");
            yield "in chunks $place" => Exchange::post("$place/body", $large)->chunked()->is(200, "{$large}_eos");
        }
        yield 'post_action' => Exchange::get('/posted/see')->is(200, 'SEE-THIS');
        yield 'post_action of what is not of PHP' => Exchange::get('/posted-static')->is(200, 'SEE-THIS');
        yield 'post_action, with a body' => Exchange::post('/posted/body', 'x')->is(200, 'x_eos');
    }
}
