<?php

declare(strict_types=1);

namespace Howdah\HttpTests;

use Howdah\Tests\Clock;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;

/**
 * What an extension does when a realm ends: it tells a server of it, over a persistent connection and in the destructor of its
 * globals (tests/engine/extension/closing.c). Here the server takes connections and never answers.
 */
#[Group('realms')]
final class LastActTest extends HttpTestCase
{
    private const EXTENSION = __DIR__ . '/../../build/extension/closing.so';

    /** Said after two seconds (engine/realm/cancel.c). */
    private const GIVEN_UP = 'what it waits for fails now';

    private string $folder;

    /** @var resource */
    private $silent;

    private int $port;

    protected function setUp(): void
    {
        $this->folder = sys_get_temp_dir() . '/howdah-last-act-' . bin2hex(random_bytes(6));
        mkdir($this->folder);
        $body = 'isset($_GET["port"]) ? var_export(closing_connect((int) $_GET["port"]), true) : "pong"';
        file_put_contents("$this->folder/index.php", "<?php echo $body;");
        file_put_contents("$this->folder/worker.php", "<?php while (frankenphp_handle_request(function () { echo $body; }));");
        $silent = stream_socket_server('tcp://127.0.0.1:0');
        self::assertIsResource($silent);
        $this->silent = $silent;
        $this->port = (int) parse_url('tcp://' . stream_socket_get_name($silent, false), PHP_URL_PORT);
    }

    protected function tearDown(): void
    {
        parent::tearDown();
        exec('rm -rf ' . escapeshellarg($this->folder));
    }

    #[DataProvider('modes')]
    public function test_a_realm_whose_end_waits_for_a_silent_server_holds_nobody_up(string $mode): void
    {
        $server = $this->serve($mode);

        self::assertSame('true', $server->client->get("/?port={$this->port}")->body);
        $connections = [$this->accept(), $this->accept()];
        self::assertSame('bye', $this->firstWord($connections), 'its end has begun');
        for ($i = 0; $i < 10; ++$i) {
            self::assertSame('pong', $server->client->get('/')->body);
        }
        if (str_contains($server->errors(), self::GIVEN_UP)) {
            Clock::late('its end was given up before ten requests were served: they waited for it');
        }

        // Not for ever, and the server's end needs not wait for more: it is orderly.
        $server->signal(SIGTERM);
        self::assertSame(0, $server->await(Clock::PATIENCE), $server->errors());
        self::assertStringContainsString(self::GIVEN_UP, $server->errors());
        self::assertStringNotContainsString('requests were running', $server->errors());
    }

    private function serve(string $mode): Server
    {
        $script = $mode === 'worker' ? "--worker-script=$this->folder/worker.php" : '--mode=classic';
        $options = ['--workers=1', '--concurrency=4', '--max-requests=1', '--ini=extension=' . self::EXTENSION, $script];
        $server = $this->keep(new Server($this->folder, $options));
        $server->awaitReady();

        return $server;
    }

    /** @return resource */
    private function accept()
    {
        $connection = @stream_socket_accept($this->silent, Clock::PATIENCE);
        $connection !== false || Clock::late('the extension connects');

        return $connection;
    }

    /** @param list<resource> $connections */
    private function firstWord(array $connections): string
    {
        $write = $except = null;
        stream_select($connections, $write, $except, (int) Clock::PATIENCE) > 0 || Clock::late('the extension says something');

        return trim((string) fgets($connections[0]));
    }
}
