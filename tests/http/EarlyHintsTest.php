<?php

declare(strict_types=1);

namespace Howdah\HttpTests;

use CurlHandle;
use PHPUnit\Framework\Attributes\DataProvider;

/** headers_send(103), as FrankenPHP has it: what a browser may load while PHP still works. */
final class EarlyHintsTest extends DirectiveTestCase
{
    protected const APP = __DIR__ . '/app/nginx';

    #[DataProvider('modes')]
    public function test_hints_are_with_the_client_before_the_response(string $mode): void
    {
        $this->serve($mode, '');
        $socket = $this->connect();
        fwrite($socket, "GET /hints?file={$this->folder}/go HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");

        $first = $this->head($socket);
        $second = $this->head($socket);
        touch("{$this->folder}/go");
        $final = $this->head($socket);

        $style = 'Link: </style.css>; rel=preload; as=style';
        $script = 'Link: </script.js>; rel=preload; as=script';
        self::assertSame('HTTP/1.1 103 Early Hints', $first[0]);
        self::assertSame('HTTP/1.1 103 Early Hints', $second[0]);
        self::assertSame('HTTP/1.1 200 OK', $final[0], $this->log());
        self::assertSame([true, false], [in_array($style, $first, true), in_array($script, $first, true)]);
        self::assertSame([true, true], [in_array($style, $second, true), in_array($script, $second, true)]);
        self::assertSame([true, true], [in_array($style, $final, true), in_array($script, $final, true)]);
        self::assertSame([], preg_grep('/^Content-Length/i', $first));
        self::assertSame("1,1\n", stream_get_contents($socket));
    }

    #[DataProvider('modes')]
    public function test_http_2_has_them_as_well(string $mode): void
    {
        $client = $this->serve($mode, '', listen: ' http2');
        $lines = [];
        $response = $client->get("/hints?file={$this->folder}/go", [
            CURLOPT_HTTP_VERSION => CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE,
            CURLOPT_HEADERFUNCTION => function (CurlHandle $curl, string $line) use (&$lines): int {
                $lines[] = rtrim($line);
                if (count(preg_grep('~^HTTP/2 103~', $lines) ?: []) === 2) {
                    touch("{$this->folder}/go");
                }

                return strlen($line);
            },
        ]);

        $style = 'link: </style.css>; rel=preload; as=style';
        $script = 'link: </script.js>; rel=preload; as=script';
        $statuses = array_values(preg_grep('~^HTTP~', $lines) ?: []);
        self::assertSame(['HTTP/2 103', 'HTTP/2 103', 'HTTP/2 200'], $statuses);
        self::assertSame([3, 2], [count(array_keys($lines, $style, true)), count(array_keys($lines, $script, true))]);
        self::assertSame([200, "1,1\n"], [$response->status, $response->body], $this->log());
    }

    public function test_a_client_of_http_1_0_gets_the_response_alone(): void
    {
        $this->serve('classic', '');
        $socket = $this->connect();
        fwrite($socket, "GET /hints HTTP/1.0\r\nHost: x\r\n\r\n");

        $head = $this->head($socket);

        self::assertSame('HTTP/1.1 200 OK', $head[0]);
        self::assertSame("3,3\n", stream_get_contents($socket));
    }

    #[DataProvider('modes')]
    public function test_other_statuses_make_the_head_of_the_response(string $mode): void
    {
        $response = $this->serve($mode, '')->get('/headers-send');

        self::assertSame([202, '3'], [$response->status, $response->header('x-wrong')]);
        self::assertSame('[0,0,true]', $response->body);
    }

    /**
     * @param  resource     $socket
     * @return list<string> the lines of one head
     */
    private function head($socket): array
    {
        $lines = [];
        while (($line = fgets($socket)) !== false && rtrim($line) !== '') {
            $lines[] = rtrim($line);
        }

        return $lines === [] ? ['nothing'] : $lines;
    }
}
