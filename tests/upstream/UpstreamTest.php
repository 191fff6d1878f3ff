<?php

declare(strict_types=1);

namespace Howdah\Tests\Upstream;

use PHPUnit\Framework\Attributes\DataProvider;

/** What nginx's tests expect of it and an upstream, with PHP in the upstream's place. */
final class UpstreamTest extends UpstreamTestCase
{
    /** @return iterable<string, array{class-string<Subject>, string, Exchange}> */
    public static function exchanges(): iterable
    {
        foreach (self::subjects() as $subject) {
            $prefix = strtolower(substr($subject, (int) strrpos($subject, '\\') + 1));
            foreach ($subject::exchanges() as $name => $exchange) {
                foreach (['classic', 'worker'] as $mode) {
                    yield "$mode, $prefix: $name" => [$subject, $mode, $exchange];
                }
            }
        }
    }

    /** @param class-string<Subject> $subject */
    #[DataProvider('exchanges')]
    public function test_the_answer_is_what_nginx_s_tests_expect(string $subject, string $mode, Exchange $exchange): void
    {
        $stage = self::stage($mode);
        foreach ($exchange->versions as $version) {
            $answer = $stage->ask(Stage::host($subject), $exchange, $version);

            $told = (string) json_encode($answer, JSON_INVALID_UTF8_SUBSTITUTE);
            $what = "$exchange->method $exchange->uri with HTTP/$version: " . substr($told, 0, 1000);
            self::assertSame($exchange->whole, $answer->whole, "whether it ends as it should: $what");
            if ($version === '2' && !$exchange->whole) {
                continue; // curl tells nothing of what came before the stream was reset
            }
            self::assertSame($exchange->status, $answer->status, $what);
            foreach ($exchange->fields as $name => $value) {
                $found = $answer->field($name);
                $isPattern = $value !== null && str_starts_with($value, '~');
                $isPattern ? self::assertMatchesRegularExpression($value . '~', (string) $found, $what)
                    : self::assertSame($value, $found, "$name of $what");
            }
            $trailers = array_map(static fn (array $values): string => implode(', ', $values), $answer->trailers);
            self::assertSame($exchange->trailers, $trailers, "trailers of $what");
            if ($exchange->expected !== null) {
                str_starts_with($exchange->expected, '~')
                    ? self::assertMatchesRegularExpression("$exchange->expected~s", $answer->body, $what)
                    : self::assertSame($exchange->expected, $answer->body, $what);
            }
        }
    }
}
