<?php

declare(strict_types=1);

namespace Howdah\HttpTests;

use PHPUnit\Framework\Assert;

/**
 * What ExportTraceServiceRequest may be in JSON: opentelemetry-proto 1.11, common/v1, resource/v1, trace/v1, and the
 * deviations from protobuf's JSON mapping in docs/specification.md. Fields that it does not name are refused: a receiver
 * would pass over them.
 *
 * @phpstan-type Attributes array<string, string|int>
 * @phpstan-type Span array{traceId: string, spanId: string, parentSpanId?: string, traceState?: string, flags: int,
 *     name: string, kind: int, startTimeUnixNano: string, endTimeUnixNano: string, attributes: Attributes, error: bool,
 *     resource: Attributes}
 */
final class Otlp
{
    /** By message: the fields that we send, and what each is. */
    private const MESSAGES = [
        'ExportTraceServiceRequest' => ['resourceSpans' => ['ResourceSpans']],
        'ResourceSpans' => ['resource' => 'Resource', 'scopeSpans' => ['ScopeSpans']],
        'Resource' => ['attributes' => ['KeyValue']],
        'ScopeSpans' => ['scope' => 'InstrumentationScope', 'spans' => ['Span']],
        'InstrumentationScope' => ['name' => 'string', 'version' => 'string'],
        'Span' => [
            'traceId' => '/^[0-9a-f]{32}$/D',
            'spanId' => '/^[0-9a-f]{16}$/D',
            'parentSpanId' => '/^[0-9a-f]{16}$/D',
            'traceState' => 'string',
            'flags' => 'int',
            'name' => 'string',
            'kind' => 'int',
            'startTimeUnixNano' => '/^\d{19}$/D',
            'endTimeUnixNano' => '/^\d{19}$/D',
            'attributes' => ['KeyValue'],
            'status' => 'Status',
        ],
        'Status' => ['code' => 'int'],
        'KeyValue' => ['key' => 'string', 'value' => 'AnyValue'],
        'AnyValue' => ['stringValue' => 'string', 'intValue' => '/^\d{1,19}$/D'],
    ];

    private const OPTIONAL = ['parentSpanId', 'traceState', 'status', 'stringValue', 'intValue'];

    /**
     * Fails where it is no such message; all of its spans.
     *
     * @return list<Span>
     */
    public static function spans(string $json): array
    {
        OtlpDefinition::assertTakes($json);
        $message = json_decode($json, true, flags: JSON_THROW_ON_ERROR);
        self::check('ExportTraceServiceRequest', $message);
        /** @var array{resourceSpans: list<array{resource: array{attributes: list<mixed>}, scopeSpans: list<mixed>}>} $message */
        $spans = [];
        foreach ($message['resourceSpans'] as $resource) {
            /** @var list<array{scope: array{name: string}, spans: list<array<string, mixed>>}> $scopes */
            $scopes = $resource['scopeSpans'];
            foreach ($scopes as $scope) {
                Assert::assertSame('howdah', $scope['scope']['name']);
                foreach ($scope['spans'] as $span) {
                    $span['error'] = isset($span['status']);
                    Assert::assertContains($span['status'] ?? ['code' => 2], [['code' => 2]]);
                    unset($span['status']);
                    $span['attributes'] = self::attributes($span['attributes']);
                    $span['resource'] = self::attributes($resource['resource']['attributes']);
                    /** @var Span $span */
                    Assert::assertGreaterThanOrEqual($span['startTimeUnixNano'], $span['endTimeUnixNano']);
                    $spans[] = $span;
                }
            }
        }
        self::checkWaits($spans);

        return $spans;
    }

    /**
     * Each wait is in the batch of its request, and within that.
     *
     * @param list<Span> $spans
     */
    private static function checkWaits(array $spans): void
    {
        $all = array_column($spans, null, 'spanId');
        Assert::assertCount(count($spans), $all, 'each id once');
        foreach ($spans as $span) {
            if (isset($span['attributes']['howdah.wait.for'])) {
                $request = $all[$span['parentSpanId'] ?? ''] ?? null;
                Assert::assertNotNull($request, "{$span['name']} is without its request");
                Assert::assertSame($request['traceId'], $span['traceId']);
                Assert::assertGreaterThanOrEqual($request['startTimeUnixNano'], $span['startTimeUnixNano']);
                Assert::assertLessThanOrEqual($request['endTimeUnixNano'], $span['endTimeUnixNano']);
            }
        }
    }

    /** @param string|list<string> $type a message, PHP's type, a pattern, or a list of one */
    private static function check(string|array $type, mixed $value): void
    {
        if (is_array($type)) {
            Assert::assertIsArray($value);
            Assert::assertTrue(array_is_list($value));
            array_walk($value, static fn (mixed $each) => self::check($type[0], $each));

            return;
        }
        if (!isset(self::MESSAGES[$type])) {
            Assert::assertTrue(match ($type) {
                'string' => is_string($value),
                'int' => is_int($value),
                default => is_string($value) && preg_match($type, $value) === 1 && preg_match('/^0+$/D', $value) !== 1
                    || str_contains($type, '{1,') && $value === '0',
            }, "$type: " . json_encode($value));

            return;
        }
        Assert::assertIsArray($value);
        $fields = self::MESSAGES[$type];
        Assert::assertSame([], array_diff_key($value, $fields), "no fields of $type");
        foreach ($fields as $name => $fieldType) {
            Assert::assertTrue(array_key_exists($name, $value) || in_array($name, self::OPTIONAL, true), "$type has $name");
            if (array_key_exists($name, $value)) {
                self::check($fieldType, $value[$name]);
            }
        }
        Assert::assertTrue($type !== 'AnyValue' || count($value) === 1, 'one value');
    }

    /** @return Attributes each name once */
    private static function attributes(mixed $list): array
    {
        /** @var list<array{key: string, value: array{stringValue?: string, intValue?: string}}> $list */
        $attributes = [];
        foreach ($list as ['key' => $key, 'value' => $value]) {
            Assert::assertArrayNotHasKey($key, $attributes);
            $attributes[$key] = $value['stringValue'] ?? (int) ($value['intValue'] ?? 0);
        }

        return $attributes;
    }
}
