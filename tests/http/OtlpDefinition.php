<?php

declare(strict_types=1);

namespace Howdah\HttpTests;

use Opentelemetry\Proto\Collector\Trace\V1\ExportTraceServiceRequest;
use Opentelemetry\Proto\Trace\V1\ResourceSpans;
use Opentelemetry\Proto\Trace\V1\ScopeSpans;
use Opentelemetry\Proto\Trace\V1\Span;
use PHPUnit\Framework\Assert;

/** OTLP's own definition, as OpenTelemetry publishes it for PHP, and protobuf's own reader of JSON: they take what we send. */
final class OtlpDefinition
{
    /** Bytes, which OTLP has in hexadecimal digits, and protobuf in base64 (docs/specification.md, "JSON Protobuf Encoding"). */
    private const BYTES = ['traceId', 'spanId', 'parentSpanId'];

    public static function assertTakes(string $json): void
    {
        $message = json_decode($json, true, flags: JSON_THROW_ON_ERROR);
        Assert::assertIsArray($message);
        $sent = [];
        array_walk_recursive($message, static function (mixed &$value, int|string $key) use (&$sent): void {
            if ($key === 'startTimeUnixNano' || $key === 'endTimeUnixNano') {
                $sent[] = $value;
            }
            if (in_array($key, self::BYTES, true) && is_string($value)) {
                $value = base64_encode((string) hex2bin($value));
            }
        });
        $request = new ExportTraceServiceRequest();
        // A field that it does not know is an error.
        $request->mergeFromJsonString(json_encode($message, JSON_THROW_ON_ERROR), false);
        $read = [];
        foreach ($request->getResourceSpans() as $resource) {
            Assert::assertInstanceOf(ResourceSpans::class, $resource);
            foreach ($resource->getScopeSpans() as $scope) {
                Assert::assertInstanceOf(ScopeSpans::class, $scope);
                foreach ($scope->getSpans() as $span) {
                    Assert::assertInstanceOf(Span::class, $span);
                    Assert::assertSame([16, 8], [strlen($span->getTraceId()), strlen($span->getSpanId())]);
                    array_push($read, (string) $span->getStartTimeUnixNano(), (string) $span->getEndTimeUnixNano());
                }
            }
        }
        Assert::assertSame($sent, $read);
    }
}
