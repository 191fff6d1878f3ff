<?php

declare(strict_types=1);

namespace Howdah\HttpTests;

use Howdah\Tests\Clock;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;

/** `post_action`: what is to be done after an answer is done, whoever has gone. */
#[Group('flow')]
final class PostActionTest extends DirectiveTestCase
{
    protected const APP = __DIR__ . '/app/nginx';

    /** @return iterable<string, array{string, string, bool}> */
    public static function moments(): iterable
    {
        foreach (['classic', 'worker'] as $mode) {
            foreach (['HTTP/1.1', 'HTTP/2'] as $protocol) {
                yield "$mode, $protocol, after the answer" => [$mode, $protocol, true];
                yield "$mode, $protocol, before it" => [$mode, $protocol, false];
            }
        }
    }

    #[DataProvider('moments')]
    public function test_its_script_runs_to_its_end_when_the_client_closes(string $mode, string $protocol, bool $answered): void
    {
        $script = self::APP . ($mode === 'worker' ? '/worker.php' : '/public/index.php');
        $pass = "howdah_client_abort cancel; howdah_pass $mode $script;";
        $query = "after={$this->folder}/after&gone={$this->folder}/gone";
        $client = $this->serve($mode, "location = /sleep { post_action /after; $pass } location = /after { internal;"
            . " howdah_param REQUEST_URI /after; howdah_param QUERY_STRING $query; $pass }");

        $open = $protocol === 'HTTP/2' ? $this->second($answered) : $this->first($answered);
        $answered && $this->await('after.begun');
        unset($open);
        // Else it begins because the client has gone.
        $this->await('after.begun');
        touch("{$this->folder}/gone");

        $this->await('after');
        self::assertSame('front page', $client->get('/')->body);
    }

    private function first(bool $answered): Http1
    {
        $client = new Http1($this->port);
        $client->get('/sleep?ms=' . ($answered ? 1 : 600_000));
        if ($answered) {
            $client->read();
        }

        return $client;
    }

    private function second(bool $answered): Http2
    {
        $client = new Http2($this->port2);
        $stream = $client->request('/sleep?ms=' . ($answered ? 1 : 600_000));
        if ($answered) {
            $client->until(static fn () => isset($client->ended[$stream]));
        }

        return $client;
    }

    private function await(string $file): void
    {
        Clock::await(fn (): bool => file_exists("{$this->folder}/$file"), fn (): string => "$file is there: {$this->log()}");
    }
}
