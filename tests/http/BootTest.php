<?php

declare(strict_types=1);

namespace Howdah\HttpTests;

use Howdah\Tests\Clock;
use PHPUnit\Framework\Attributes\Group;

/** Worker scripts that compute while they boot. */
#[Group('realms')]
final class BootTest extends HttpTestCase
{
    private string $script;

    protected function setUp(): void
    {
        $this->script = (string) tempnam(sys_get_temp_dir(), 'howdah-boots-');
    }

    protected function tearDown(): void
    {
        parent::tearDown();
        array_map(unlink(...), glob("{$this->script}*") ?: []);
    }

    public function test_a_boot_without_end_is_told_of_and_holds_no_stop_up(): void
    {
        file_put_contents($this->script, "<?php\nset_time_limit(0);\nfor (;;) {\n    \$i = 1;\n}\n");
        $server = $this->boots();

        $told = static fn (): bool => str_contains($server->errors(), ' s in realm ');
        self::assertTrue($server->eventually($told), $server->errors());
        self::assertMatchesRegularExpression(
            '/has been booting for \d+ s in realm \d .* PHP computes in ' . preg_quote($this->script, '/') . ' on line [345]/',
            $server->errors(),
        );
        $clock = Clock::start();
        $server->signal(SIGTERM);

        self::assertSame(0, $server->await(), $server->errors());
        $clock->assertWithin(4.0, 'it is not waited for: for as long as stop_timeout');
        self::assertDoesNotMatchRegularExpression('/ended during boot|did not boot|requests were running/', $server->errors());
    }

    /**
     * Four boot, of which the oldest one goes on when the three others have ended, and they compute without end: nobody waits
     * for them. It serves the one request that waits.
     */
    public function test_a_stop_ends_the_boots_that_no_request_waits_for(): void
    {
        file_put_contents($this->script, <<<'PHP'
            <?php
            set_time_limit(0);
            for ($number = 0; @fopen(__FILE__ . "-$number", 'x') === false; $number++) {
            }
            if ($number > 0) {
                register_shutdown_function(static fn () => touch(__FILE__ . "-$number-ended"));
            }
            while ($number > 0) {
                $i = 1;
            }
            while (count(glob(__FILE__ . '-*-ended')) < 3) {
                usleep(1000);
            }
            while (frankenphp_handle_request(static fn () => print 'served')) {
            }
            PHP);
        $server = $this->boots();
        $all = fn (): bool => file_exists("{$this->script}-3");
        self::assertTrue($server->eventually($all), $server->errors());
        $waiting = stream_socket_client("tcp://127.0.0.1:{$server->port}");
        self::assertIsResource($waiting);
        fwrite($waiting, "GET / HTTP/1.0\r\n\r\n");
        // Answered by nginx, after it has read what came before.
        self::assertSame(200, $server->client->get('/files/style.css')->status);

        $server->signal(SIGTERM);

        stream_set_timeout($waiting, (int) Clock::PATIENCE);
        self::assertStringEndsWith('served', (string) stream_get_contents($waiting), $server->errors());
        self::assertSame(0, $server->await(), $server->errors());
        self::assertDoesNotMatchRegularExpression('/ended during boot|did not boot|requests were running/', $server->errors());
    }

    private function boots(): Server
    {
        $options = ['--workers=1', '--concurrency=4', '--warm=4', "--worker-script={$this->script}"];

        return $this->keep(new Server(self::APP, $options));
    }
}
