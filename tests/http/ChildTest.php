<?php

declare(strict_types=1);

namespace Howdah\HttpTests;

use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;

/** What a child process that one request starts does to the clients of others. */
#[Group('realms')]
#[Group('other')]
final class ChildTest extends DirectiveTestCase
{
    protected const APP = __DIR__ . '/app/children';

    /** Each way to a child. */
    private const WAYS = ['proc_open', 'terminal', 'popen', 'exec', 'mail', 'library', 'spawn', 'fork'];

    /** @return list<string> */
    protected static function options(string $mode): array
    {
        $mail = '--ini=sendmail_path=cat > /dev/null';

        return [...parent::options($mode), '--ini=ffi.enable=1', $mail];
    }

    /**
     * A child that has nginx's sockets keeps them in its epoll set when nginx has closed them. What then happens to one must
     * not be taken for something that happens to the client who has its place since.
     */
    #[DataProvider('modes')]
    public function test_who_has_the_place_of_a_closed_connection_gets_an_answer(string $mode): void
    {
        $this->serve($mode, 'lingering_close off;');
        $door = new Door();
        $bystander = $this->open();
        $held = $this->open();
        $child = (int) $bystander->get('/hold')->read()?->body;
        self::assertGreaterThan(0, $child, $this->log());

        // nginx gives a place to the next who comes, and tells two in a row apart by one bit.
        self::assertSame(200, $held->get('/', "Connection: close\r\n")->read()?->status);
        $this->pass($bystander);
        $between = $this->open();
        self::assertSame(200, $between->get('/', "Connection: close\r\n")->read()?->status);
        self::assertTrue($between->isClosed());
        $live = $this->open();
        $live->get("/wait?number=7&door={$door->path}");
        $door->await();
        fclose($held->socket);
        $this->pass($bystander);
        $door->open();

        self::assertSame(' 7', $live->read()?->body, $this->log());
        self::assertStringNotContainsString('" 499 ', $this->log());
        self::assertSame("$child ", $bystander->get("/let-go?child=$child")->read()?->body);
    }

    /**
     * One request in nine starts a child. Half of those who ask keep their connections, half close them when they have their
     * answer, while nginx does. With HOWDAH_LONG so many that it shows where nothing holds a child back, too.
     */
    #[DataProvider('modes')]
    public function test_nobody_loses_an_answer_while_others_start_children(string $mode): void
    {
        $this->serve($mode, 'keepalive_requests 1000000;', ['worker_processes 1;' => 'worker_processes 2;']);
        $free = array_map(fn (): Http1 => $this->open(), range(1, 20));
        $asked = [];
        for ($number = 1, $last = getenv('HOWDAH_LONG') ? 100_000 : 300; $number <= $last; ++$number) {
            $stays = $number % 2 === 0;
            $connection = $stays ? array_shift($free) : new Http1($this->port);
            self::assertNotNull($connection);
            $way = $number % 9 === 0 ? self::WAYS[intdiv($number, 9) % count(self::WAYS)] : '';
            $connection->get("/start?how=$way&number=$number", $stays ? '' : "Connection: close\r\n");
            $asked[] = [$connection, $way === '' ? " $number" : "{$way}0 $number", $stays];
            while (count($asked) >= 40 || ($number === $last && $asked !== [])) {
                [$answers, $wanted, $stayed] = array_shift($asked);
                $body = $answers->read()?->body;
                self::assertSame($wanted, $body, $body === $wanted ? '' : substr($this->log(), -3000));
                $stayed ? $free[] = $answers : fclose($answers->socket);
            }
        }
        self::assertStringNotContainsString('" 499 ', $this->log());
    }

    /** nginx or the engine has a handler for each of them, and so has the child until its program runs. */
    #[DataProvider('modes')]
    public function test_a_signal_that_is_sent_at_once_reaches_the_child(string $mode): void
    {
        $client = $this->share($mode, '');
        $signals = [];
        for ($time = 0; $time < 3; ++$time) {
            array_push($signals, SIGHUP, SIGINT, SIGQUIT, SIGUSR1, SIGUSR2, SIGALRM, SIGTERM, SIGIO, SIGPROF);
        }

        $survived = json_decode($client->get('/signals?signals=' . json_encode($signals))->body);

        self::assertSame(array_fill(0, count($signals), false), $survived);
    }

    /** A connection that nginx has accepted, and keeps. */
    private function open(): Http1
    {
        $connection = new Http1($this->port);
        self::assertSame(' 1', $connection->get('/?number=1')->read()?->body, $this->log());

        return $connection;
    }

    /** What the worker had been told of before is done. */
    private function pass(Http1 $bystander): void
    {
        self::assertSame(' 2', $bystander->get('/?number=2')->read()?->body);
    }
}
