<?php

declare(strict_types=1);

namespace Howdah\Cli\Tests;

use Howdah\Cli\Listen;
use Howdah\Cli\ListenOptions;
use Howdah\Cli\ServeOptions;
use PHPUnit\Framework\Attributes\TestWith;
use Symfony\Component\Console\Command\Command;
use Symfony\Component\Console\Input\StringInput;

final class ListenOptionsTest extends CliTestCase
{
    protected function tearDown(): void
    {
        putenv('PORT');
        parent::tearDown();
    }

    #[TestWith(['', '127.0.0.1:8080'], 'nothing')]
    #[TestWith(['-p 9000', '127.0.0.1:9000'], '-p')]
    #[TestWith(['--port=9000', '127.0.0.1:9000'], '--port')]
    #[TestWith(['--host=0.0.0.0', '0.0.0.0:8080'], '--host')]
    #[TestWith(['--host=::1 -p 9000', '[::1]:9000'], 'IPv6')]
    #[TestWith(['--host=localhost -p9000', 'localhost:9000'], 'a name')]
    #[TestWith(['', '127.0.0.1:7000', '7000'], 'the variable')]
    #[TestWith(['--host=0.0.0.0', '0.0.0.0:7000', '7000'], 'the variable and --host')]
    #[TestWith(['-p 9000', '127.0.0.1:9000', '7000'], '-p wins over the variable')]
    #[TestWith(['--listen=9001', '127.0.0.1:9001', '7000'], '--listen, too')]
    #[TestWith(['', '127.0.0.1:8080', ''], 'an empty variable')]
    public function test_host_and_port_may_be_said_apart(string $options, string $address, ?string $variable = null): void
    {
        putenv($variable === null ? 'PORT' : "PORT=$variable");

        self::assertSame($address, $this->options($options)->listen->toNginx());
    }

    #[TestWith(['--port=0', '--port=0 is no port'], 'zero')]
    #[TestWith(['-p 65536', '--port=65536 is no port'], 'too much')]
    #[TestWith(['-p http', '--port=http is no port'], 'a word')]
    #[TestWith(['--host=no.such.host.invalid', '--host=no.such.host.invalid: there is no host'], 'an unknown host')]
    #[TestWith(['--host=', '--host= is empty'], 'no host')]
    #[TestWith(['--listen=9000 --port=9001', '--listen=9000 has host and port in it: leave out --host and --port'], 'both')]
    #[TestWith(['', 'PORT=http (a variable of the environment) is no port', 'http'], 'the variable')]
    public function test_a_mistake_is_named(string $options, string $message, ?string $variable = null): void
    {
        putenv($variable === null ? 'PORT' : "PORT=$variable");

        self::assertStringContainsString($message, $this->failure(fn () => $this->options($options)));
    }

    public function test_a_port_in_use_that_nobody_has_named_gives_the_next_one_that_is_free(): void
    {
        $taken = stream_socket_server('tcp://127.0.0.1:0');
        self::assertNotFalse($taken);
        $address = (string) stream_socket_get_name($taken, false);
        $listen = Listen::parse($address);

        self::assertSame($address, $listen->free()->toNginx());
        self::assertStringContainsString('in use', $this->failure($listen->assertFree(...)));
        $next = $listen->orNext()->free();
        self::assertGreaterThan($listen->port(), $next->port());
        self::assertSame($next->toNginx(), $next->orNext()->free()->toNginx());
    }

    /** Nobody has named 8080, and somebody has named the port of --status. */
    public function test_a_port_that_is_chosen_is_not_that_of_the_figures(): void
    {
        $command = new Command('serve');
        ServeOptions::define($command);
        $input = new StringInput('--status=8080');
        $input->bind($command->getDefinition());

        $told = (string) ListenOptions::settle($input);

        self::assertStringStartsWith('port 8080 is that of --status: http://127.0.0.1:8', $told);
        $options = ServeOptions::fromInput($input);
        self::assertNotSame(8080, $options->listen->port());
        self::assertNotNull($options->statusAddress);
        self::assertNull($options->statusAddress->warning());
    }

    /** Two servers that are started at once must not choose the same one. */
    public function test_a_port_that_was_chosen_is_kept_from_other_processes(): void
    {
        $chosen = Listen::anyPort()->orNext()->free();
        $code = 'require $argv[1]; echo Howdah\Cli\Listen::parse($argv[2])->orNext()->free()->toNginx();';
        $autoload = dirname(__DIR__) . '/vendor/autoload.php';

        exec(implode(' ', array_map(escapeshellarg(...), [PHP_BINARY, '-r', $code, $autoload, $chosen->toNginx()])), $lines);

        self::assertGreaterThan($chosen->port(), (int) substr((string) strrchr($lines[0] ?? '', ':'), 1));
    }
}
