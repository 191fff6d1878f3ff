<?php

declare(strict_types=1);

namespace Howdah\Tests\Differential;

use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;

/** The same bytes to php-fpm behind nginx and to Howdah: status, headers and body are the same, or the difference is listed. */
final class DifferentialTest extends TestCase
{
    private static ?Pair $pair = null;

    public static function setUpBeforeClass(): void
    {
        self::$pair = new Pair(self::questions());
    }

    public static function tearDownAfterClass(): void
    {
        self::$pair?->stop();
        self::$pair = null;
    }

    /** @return array<string, Question> by name */
    private static function questions(): array
    {
        $questions = [];
        foreach (glob(__DIR__ . '/cases/*.php') ?: [] as $file) {
            $class = __NAMESPACE__ . '\\Cases\\' . basename($file, '.php');
            self::assertTrue(is_subclass_of($class, Cases::class), $class);
            foreach ($class::all() as $name => $question) {
                self::assertMatchesRegularExpression('/^[a-z0-9-]+$/D', $name);
                self::assertArrayNotHasKey($name, $questions);
                $questions[$name] = $question;
            }
        }

        return $questions;
    }

    /** @return iterable<string, array{string}> */
    public static function classic(): iterable
    {
        foreach (self::questions() as $name => $question) {
            yield $name => [$name];
        }
    }

    /** @return iterable<string, array{string}> */
    public static function worker(): iterable
    {
        foreach (self::questions() as $name => $question) {
            if ($question->worker) {
                yield $name => [$name];
            }
        }
    }

    #[DataProvider('classic')]
    public function test_classic_mode_answers_as_php_fpm(string $case): void
    {
        $this->assertAnswersAsPhpFpm('classic', $case);
    }

    #[DataProvider('worker')]
    public function test_worker_mode_answers_as_php_fpm(string $case): void
    {
        $this->assertAnswersAsPhpFpm('worker', $case);
    }

    public function test_a_second_that_ends_between_two_answers_is_no_difference(): void
    {
        self::assertNotNull(self::$pair);
        for ($early = 500; $early <= 3500; $early += 1000) {
            Pair::awaitEndOfSecond($early);

            self::assertSame([], self::$pair->compare('setcookie-expires', 'classic')->differences);
        }
    }

    public function test_there_are_hundreds_of_cases_and_each_listed_difference_is_of_one(): void
    {
        $questions = self::questions();
        self::assertGreaterThan(500, count($questions));
        foreach (array_keys(self::accepted()->reasons) as $key) {
            self::assertMatchesRegularExpression('#^(classic|worker)/[a-z0-9-]+/\S+$#', $key);
            [$mode, $case] = explode('/', $key);
            self::assertArrayHasKey($case, $questions, $key);
            self::assertTrue($mode === 'classic' || $questions[$case]->worker, $key);
        }
    }

    private function assertAnswersAsPhpFpm(string $mode, string $case): void
    {
        self::assertNotNull(self::$pair);
        $accepted = self::accepted()->of($mode, $case);

        $differences = self::$pair->compare($case, $mode)->differences;

        $texts = '';
        foreach (array_diff_key($differences, $accepted) as $part => $text) {
            $texts .= "$mode/$case/$part\n$text\n";
        }
        self::assertSame('', $texts);
        self::assertSame([], array_keys(array_diff_key($accepted, $differences)), 'is no difference any more: unlist it');
        self::assertSame([], self::$pair->losses());
    }

    private static function accepted(): Accepted
    {
        return new Accepted(__DIR__ . '/accepted');
    }
}
