<?php

declare(strict_types=1);

namespace Howdah\Tests\Engine;

use Howdah\Tests\Clock;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;

final class ClassicTest extends TestCase
{
    public function testEveryRequestStartsFromNothing(): void
    {
        $run = Runner::run('classic.php', ['--requests=2000', '--at-once=32', '--query=n=%d', '--expect=fresh %d']);
        self::assertSame(0, $run->exit, $run->err);
    }

    public function testOpenSslErrorsStayInTheirRealm(): void
    {
        $run = Runner::run('openssl.php', ['--requests=2', '--at-once=2', '--query=n=%d', '--expect=right %d']);
        self::assertSame(0, $run->exit, $run->out . $run->err);
    }

    /**
     * @param list<string> $settings
     */
    #[TestWith(['all', []], 'all')]
    #[TestWith(['gc', ['--ini=zend.enable_gc=0']], 'gc')]
    #[TestWith(['encoding', ['--ini=zend.multibyte=1', '--ini=zend.script_encoding=ISO-8859-1']], 'encoding')]
    public function testSettingsOfAnyKindWorkInEveryRealm(string $what, array $settings): void
    {
        $options = ['--requests=40', '--at-once=4', '--max-requests=10', "--query=what={$what}", '--expect=done'];
        $run = Runner::run('settings.php', [...$options, ...$settings]);
        self::assertSame(0, $run->exit, $run->out . $run->err);
    }

    public function testNobodyComplainsThatSignalsAreNotPhps(): void
    {
        $options = ['--requests=3', '--at-once=1', '--query=n=%d', '--expect=fresh %d', '--ini=zend.signal_check=1'];
        $run = Runner::run('classic.php', $options);
        self::assertSame(0, $run->exit, $run->err);
        self::assertStringNotContainsString('zend_signal', $run->err);
    }

    public function testAShutdownFunctionThatDoesNotEndIsEnded(): void
    {
        $options = ['--requests=2', '--at-once=2', '--ini=hard_timeout=1', '--ini=html_errors=0'];
        $run = Runner::run('shutdown-spins.php', $options);
        self::assertSame(4, substr_count($run->err, 'Maximum execution time of 1 second exceeded'), $run->err);
        Clock::assertAtMost(100.0, $run->seconds, 'a second for each of four');
    }

    public function testARequestSeesItsOwnInput(): void
    {
        $run = Runner::run('echo.php', [
            '--head',
            '--method=POST',
            '--path=/some/path',
            '--query=q=%d',
            '--cookie=c=%d',
            '--header=HTTP_X_TEST=h%d',
            '--content-type=application/x-www-form-urlencoded',
            '--body=field=value',
        ]);
        self::assertSame(0, $run->exit, $run->err);
        [$head, $body] = explode("\n\n", $run->out, 2);
        self::assertStringContainsString('Status: 201', $head);
        self::assertStringContainsString("Set-Cookie: a=1\nSet-Cookie: b=2", $head);
        self::assertSame([
            'method' => 'POST',
            'uri' => '/some/path?q=0',
            'self' => '/index.php',
            'get' => ['q' => '0'],
            'post' => ['field' => 'value'],
            'cookie' => ['c' => '0'],
            'input' => 'field=value',
            'header' => 'h0',
            'env' => '127.0.0.1',
            'sapi' => 'fpm-fcgi',
            'worker' => false,
        ], json_decode($body, true));
    }

    public function testALineThatIsNoHeaderIsLeftOutWithAWarning(): void
    {
        $run = Runner::run('no-headers.php', ['--head', '--ini=expose_php=0'], extensions: []);

        $type = 'Content-type: text/html; charset=UTF-8';
        self::assertSame("Status: 200\nX-Kept: kept\n{$type}\n\nbody", $run->out, $run->err);
        self::assertSame(5, substr_count($run->err, '[warning] howdah: PHP sent the header "'), $run->err);
        self::assertStringContainsString('"Invalid", which has no colon: left out', $run->err);
        self::assertStringContainsString('"Blank : c", whose name is none: left out', $run->err);
    }

    public function testAScriptThatCannotBeOpenedIsAnErrorAndNotACrash(): void
    {
        $run = Runner::run(__DIR__ . '/scripts', ['--head', '--ini=display_errors=0']);
        self::assertSame(0, $run->exit);
        self::assertStringContainsString('Status: 500', $run->out);
        self::assertStringContainsString('Failed opening required', $run->err);
    }

    public function testAScriptThatOpenBasedirRefusesIsNotFound(): void
    {
        $run = Runner::run('echo.php', ['--ini=open_basedir=/nowhere', '--head', '--ini=display_errors=0']);
        self::assertSame(0, $run->exit);
        self::assertStringContainsString('Status: 404', $run->out);
        self::assertStringEndsWith("\n\nNo input file specified.\n", $run->out);
        self::assertStringContainsString('open_basedir restriction', $run->err);
    }
}
