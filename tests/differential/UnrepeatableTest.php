<?php

declare(strict_types=1);

namespace Howdah\Tests\Differential;

use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;

final class UnrepeatableTest extends TestCase
{
    #[TestWith(['Host: 127.0.0.1:57276', 'Host: 127.0.0.1:*****'], 'a port')]
    #[TestWith(['"port":"40001","of":57276}', '"port":"*****","of":*****}'], 'two ports')]
    #[TestWith(['hex:2f7365727665722d', 'hex:2f7365727665722d'], "a port's digits among others, by chance")]
    #[TestWith(["A: b\r\nDate: Mon\r\n", "A: b\r\nDate: ***\r\n"], 'a date')]
    #[TestWith(['at 2026-11-26T18:49:44+0000', 'at ************************'], "opcache's start")]
    #[TestWith(
        [
            'PHPSESSID=0123456789abcdefghijkl; id 0123456789abcdefghijkl',
            'PHPSESSID=**********************; id **********************',
        ],
        "a session's name, twice",
    )]
    #[TestWith(['/tmp/phpa1b2C3 a1b2C3', '/tmp/php****** ******'], "a file's name, twice")]
    public function test_it_is_hidden_and_nothing_else(string $bytes, string $hidden): void
    {
        self::assertSame($hidden, Unrepeatable::hidden($bytes, 40001, 57276));
    }
}
