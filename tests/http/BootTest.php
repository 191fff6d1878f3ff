<?php

declare(strict_types=1);

namespace Howdah\HttpTests;

/** A worker script that computes while it boots, and never asks for a request. */
final class BootTest extends HttpTestCase
{
    private string $script;

    protected function setUp(): void
    {
        $this->script = (string) tempnam(sys_get_temp_dir(), 'howdah-boots-');
        file_put_contents($this->script, "<?php\nset_time_limit(0);\nfor (;;) {\n    \$i = 1;\n}\n");
    }

    protected function tearDown(): void
    {
        parent::tearDown();
        unlink($this->script);
    }

    public function test_a_boot_without_end_is_told_of_and_holds_no_stop_up(): void
    {
        $options = ['--workers=1', '--concurrency=4', '--warm=4', "--worker-script={$this->script}"];
        $server = $this->keep(new Server(self::APP, $options));

        $told = static fn (): bool => str_contains($server->errors(), ' s in realm ');
        self::assertTrue($server->eventually($told), $server->errors());
        self::assertMatchesRegularExpression(
            '/has been booting for \d s in realm \d .* PHP computes in ' . preg_quote($this->script, '/') . ' on line [345]/',
            $server->errors(),
        );
        $start = microtime(true);
        $server->signal(SIGTERM);

        self::assertSame(0, $server->await(), $server->errors());
        self::assertLessThan(4.0, microtime(true) - $start, 'it was waited for');
        self::assertDoesNotMatchRegularExpression('/ended during boot|did not boot|requests were running/', $server->errors());
    }
}
