<?php

/** bench where: whose the instructions are that callgrind has counted. */

declare(strict_types=1);

namespace Howdah\BenchTests;

use Howdah\Bench\Where\Part;
use Howdah\Bench\Where\Profile;
use Howdah\Cli\Failure;
use PHPUnit\Framework\TestCase;

final class WhereTest extends TestCase
{
    /**
     * As callgrind writes it: names once, then their numbers; a line for each line of the source; what a call cost behind it.
     * image.c copies with 40 instructions of its own, 10 of them of a header, and 60 of memcpy(), of which output.c has 20 and
     * PHP 20; a hook calls send(), which PHP would have called by itself.
     */
    private const PROFILE = <<<'CALLGRIND'
        # callgrind format
        version: 1
        events: Ir

        ob=(1) /build/ngx_http_howdah_module.so
        fl=(1) /src/engine/state/image.c
        fn=(1) howdah_image_switch.avx2
        10 30
        fi=(2) /src/engine/check.h
        +3 10
        fe=(1)
        cob=(2) /lib/libc.so.6
        cfi=(3) ./string/memcpy.S
        cfn=(2) memcpy
        calls=4 0
        +5 60

        fl=(4) /src/engine/sapi/output.c
        fn=(3) send_head
        20 5
        cob=(2)
        cfi=(3)
        cfn=(2)
        calls=1 0
        * 20

        fl=(5) /src/engine/hooks/socket.c
        fn=(4) howdah_hook_send
        30 7
        cob=(2)
        cfi=(6) ./socket/send.c
        cfn=(5) send
        calls=1 0
        31 9

        ob=(3) /usr/lib/libphp8.2.so
        fl=(7) ???
        fn=(6) execute_ex'2
        0 1000
        cob=(2)
        cfi=(3)
        cfn=(2)
        calls=2 0
        0 20
        cob=(1)
        cfi=(1)
        cfn=(1)
        calls=3 0
        0 100

        ob=(2)
        fl=(3)
        fn=(2)
        0 100

        fl=(6)
        fn=(5)
        0 9

        ob=(4) /usr/sbin/nginx
        fl=(7)
        fn=(7) ngx_palloc
        0 8
        CALLGRIND;

    private string $file;

    protected function setUp(): void
    {
        $this->file = (string) tempnam(sys_get_temp_dir(), 'howdah-where-');
    }

    protected function tearDown(): void
    {
        unlink($this->file);
    }

    public function test_what_a_part_calls_of_the_c_library_is_its_own_and_what_a_hook_calls_is_phps(): void
    {
        file_put_contents($this->file, self::PROFILE);
        $profile = Profile::read($this->file);

        self::assertSame(1169, $profile->total());
        self::assertSame([
            Part::Switches->value => 100.0,
            Part::Hooks->value => 7.0,
            Part::Output->value => 25.0,
            Part::Nginx->value => 8.0,
            Part::Php->value => 1029.0,
        ], array_filter(array_map(static fn (float $sum): float => round($sum, 3), $profile->parts())));
        self::assertSame(3, $profile->calls('howdah_image_switch'));
        self::assertSame('libphp8.2.so execute_ex', array_key_first($profile->functions()));
    }

    public function test_an_empty_profile_is_no_table(): void
    {
        $this->expectException(Failure::class);

        Profile::read($this->file);
    }
}
