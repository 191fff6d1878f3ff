<?php

declare(strict_types=1);

namespace Howdah\Tests\Engine;

use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;

/** A setting of the server has the value that was given, whatever is in it, and those behind it have theirs. */
final class SettingTest extends TestCase
{
    private const SCRIPT = __DIR__ . '/scripts/given.php';

    #[TestWith(['/tmp/Bob (old)', '/tmp/Bob (old)'], '/tmp/Bob (old)')]
    #[TestWith(["it's", "it's"], 'an apostrophe')]
    #[TestWith(['a"b', 'a"b'], 'a"b')]
    #[TestWith(['(x', '(x'], '(x')]
    #[TestWith(['a!b', 'a!b'], 'a!b')]
    #[TestWith(['$(id)', '$(id)'], '$(id)')]
    #[TestWith(['a;b', 'a;b'], 'a;b')]
    #[TestWith(['tcp://host:1?auth=a&weight=2', 'tcp://host:1?auth=a&weight=2'], 'tcp://host:1?auth=a&weight=2')]
    #[TestWith(['a\\', 'a\\'], 'a backslash')]
    #[TestWith(['"a', '"a'], '"a')]
    #[TestWith(['"a\\"', '"a\\"'], 'a quotation mark behind a backslash')]
    #[TestWith(['[a]', '[a]'], '[a]')]
    #[TestWith(['{a}', '{a}'], '{a}')]
    #[TestWith(['a = b', 'a = b'], 'a = b')]
    #[TestWith(['"5;/tmp"', '5;/tmp'], '"5;/tmp"')]
    #[TestWith(["'a b'", 'a b'], 'quoted with apostrophes')]
    #[TestWith(['E_ALL & ~E_NOTICE', '' . (E_ALL & ~E_NOTICE)], 'E_ALL & ~E_NOTICE')]
    #[TestWith(['on', '1'], 'on')]
    #[TestWith(['-1', '-1'], 'minus one')]
    #[TestWith(['', ''], 'nothing')]
    public function testAValueIsWhatWasGiven(string $given, string $value): void
    {
        $run = Runner::run(self::SCRIPT, ["--ini=session.save_path={$given}", '--ini=precision=7'], extensions: []);

        self::assertSame(
            ['value' => $value, 'behind' => '7', 'own' => '0'],
            json_decode($run->out, true),
            $run->err,
        );
    }
}
