<?php

declare(strict_types=1);

namespace Howdah\Tests\Layers;

use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;

/**
 * A replacement of another type than its function's does not compile (engine/hooks/hooked.h). Compiled as the engine is: the
 * environment has CC and CFLAGS.
 */
final class HookedTest extends TestCase
{
    private const ROWS = '/^HOOKED(\w*)\((\w+), (\w+), \w+(?:, (?:"[^"]+"|(\w+)))?\)$/m';

    private string $source;

    protected function setUp(): void
    {
        $this->source = sys_get_temp_dir() . '/howdah-hooked-' . getmypid() . '.c';
    }

    protected function tearDown(): void
    {
        unlink($this->source);
    }

    /**
     * @return list<string> what the compiler says against it
     */
    private function errors(string $code): array
    {
        file_put_contents($this->source, $code);
        $flags = getenv('CFLAGS');
        self::assertIsString($flags, 'make check-layers sets CFLAGS');
        $command = sprintf(
            'LC_ALL=C %s %s -fmax-errors=0 -I%s -c %s -o /dev/null 2>&1',
            getenv('CC'),
            $flags,
            escapeshellarg(dirname(__DIR__, 2) . '/engine'),
            escapeshellarg($this->source),
        );
        exec("cd / && {$command}", $lines, $status);
        $said = implode("\n", $lines);
        preg_match_all('/^.* error: .*$/m', $said, $errors);
        self::assertSame($errors[0] !== [], $status !== 0, $said);

        return $errors[0];
    }

    /**
     * @return array<string, array{string}>
     */
    public static function wrong(): array
    {
        return [
            'a count of another width' => ['int howdah_hook_poll(struct pollfd *fds, int count, int timeout_ms);'],
            'an argument less' => ['int howdah_hook_flock(int fd);'],
            'a result that is lost' => ['void howdah_hook_close(int fd);'],
            'a pointer for what may be absent' => ['int howdah_hook_fcntl(int fd, int command, void *argument);'],
            'a limit of another structure' => ['int howdah_hook_setrlimit64(__rlimit_resource_t, const struct rlimit *);'],
            'what it becomes with _FORTIFY_SOURCE' => ['ssize_t howdah_hook_read_chk(int fd, void *buffer, size_t size);'],
            'what nginx calls' => ['int howdah_hook_nginx_open(const char *path, int flags);'],
            'what a table of an object holds' => ['int howdah_hook_record_of_process(int fd);'],
            'a library without headers' => ['int howdah_hook_sqlite_open(const char *, void **, int, const char *);'],
            'an original' => ['long (*howdah_real_sleep)(long);'],
        ];
    }

    #[DataProvider('wrong')]
    public function testAReplacementOfAnotherTypeDoesNotCompile(string $code): void
    {
        $errors = $this->errors("#include \"hooks/hooked.h\"\n{$code}\n");

        self::assertCount(1, $errors, implode("\n", $errors));
        self::assertStringContainsString("conflicting types for 'howdah_", $errors[0]);
    }

    public function testOneOfItsTypeDoes(): void
    {
        self::assertSame([], $this->errors(<<<'C'
            #include "hooks/hooked.h"
            int howdah_hook_poll(struct pollfd *fds, nfds_t count, int ms) { return howdah_real_poll(fds, count, ms); }
            int howdah_hook_connect(int fd, const struct sockaddr *to, socklen_t n) { return howdah_real_connect(fd, to, n); }
            void howdah_hook_exit(int status) { howdah_real_exit(status); }
            C));
    }

    /** Of whichever row: none has a type of its own. */
    public function testEachRowIsHeldToItsType(): void
    {
        $list = (string) file_get_contents(dirname(__DIR__, 2) . '/engine/hooks/list.h');
        preg_match_all(self::ROWS, $list, $rows, PREG_SET_ORDER);
        $names = [];
        foreach ($rows as $row) {
            $names[] = $row[1] === '_IN_NGINX_ONLY' ? ($row[4] ?? '') : $row[3];
            $names[] = $row[4] ?? $row[3];
        }
        $names = array_values(array_unique($names));
        self::assertGreaterThan(150, count($names));
        $code = "#include \"hooks/hooked.h\"\nstruct another { char text[80]; };\n";
        foreach ($names as $name) {
            $code .= "struct another howdah_hook_{$name}(struct another);\n";
        }

        $errors = implode("\n", $this->errors($code));
        preg_match_all("/conflicting types for 'howdah_hook_(\w+)'/", $errors, $refused);

        self::assertSame($names, $refused[1]);
    }

    public function testOneThatDoesNotIncludeThemDoesNotCompile(): void
    {
        $errors = $this->errors("int howdah_hook_sleep(const char *seconds) { return seconds != 0; }\n");

        self::assertCount(1, $errors, implode("\n", $errors));
        self::assertStringContainsString("no previous prototype for 'howdah_hook_sleep'", $errors[0]);
    }
}
