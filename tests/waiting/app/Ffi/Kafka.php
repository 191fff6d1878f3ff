<?php

declare(strict_types=1);

namespace Howdah\WaitingTests\App\Ffi;

use FFI;
use RuntimeException;

/**
 * librdkafka: a producer with a cluster of its own in this process (test.mock.num.brokers), and a consumer of it. The library's
 * threads speak over loopback; PHP's thread waits on condition variables.
 */
final class Kafka
{
    private const HEADER = '
        typedef struct rd_kafka_s rd_kafka_t;
        typedef struct rd_kafka_conf_s rd_kafka_conf_t;
        typedef struct rd_kafka_topic_s rd_kafka_topic_t;
        typedef struct rd_kafka_topic_conf_s rd_kafka_topic_conf_t;
        typedef struct rd_kafka_topic_partition_s rd_kafka_topic_partition_t;
        typedef struct rd_kafka_topic_partition_list_s rd_kafka_topic_partition_list_t;
        typedef struct rd_kafka_mock_cluster_s rd_kafka_mock_cluster_t;
        typedef struct {
            int err; rd_kafka_topic_t *rkt; int32_t partition; void *payload; size_t len; void *key; size_t key_len;
            int64_t offset; void *_private;
        } rd_kafka_message_t;
        rd_kafka_conf_t *rd_kafka_conf_new(void);
        int rd_kafka_conf_set(rd_kafka_conf_t *conf, const char *name, const char *value, char *error, size_t size);
        rd_kafka_t *rd_kafka_new(int type, rd_kafka_conf_t *conf, char *error, size_t size);
        void rd_kafka_destroy(rd_kafka_t *rk);
        rd_kafka_mock_cluster_t *rd_kafka_handle_mock_cluster(const rd_kafka_t *rk);
        const char *rd_kafka_mock_cluster_bootstraps(const rd_kafka_mock_cluster_t *cluster);
        rd_kafka_topic_t *rd_kafka_topic_new(rd_kafka_t *rk, const char *topic, rd_kafka_topic_conf_t *conf);
        void rd_kafka_topic_destroy(rd_kafka_topic_t *rkt);
        int rd_kafka_produce(rd_kafka_topic_t *rkt, int32_t partition, int flags, const char *payload, size_t len,
            const char *key, size_t key_len, void *opaque);
        int rd_kafka_flush(rd_kafka_t *rk, int timeout_ms);
        rd_kafka_topic_partition_list_t *rd_kafka_topic_partition_list_new(int size);
        void rd_kafka_topic_partition_list_destroy(rd_kafka_topic_partition_list_t *list);
        rd_kafka_topic_partition_t *rd_kafka_topic_partition_list_add(rd_kafka_topic_partition_list_t *list,
            const char *topic, int32_t partition);
        int rd_kafka_topic_partition_list_set_offset(rd_kafka_topic_partition_list_t *list, const char *topic,
            int32_t partition, int64_t offset);
        int rd_kafka_assign(rd_kafka_t *rk, const rd_kafka_topic_partition_list_t *list);
        rd_kafka_message_t *rd_kafka_consumer_poll(rd_kafka_t *rk, int timeout_ms);
        void rd_kafka_message_destroy(rd_kafka_message_t *message);
        int rd_kafka_consumer_close(rd_kafka_t *rk);
        const char *rd_kafka_err2name(int error);
    ';

    private const PRODUCER = 0;
    private const CONSUMER = 1;

    /** RD_KAFKA_OFFSET_BEGINNING */
    private const BEGINNING = -2;

    /** RD_KAFKA_MSG_F_COPY */
    private const COPY = 2;

    private readonly FFI $library;
    private readonly FFI\CData $producer;
    private readonly FFI\CData $consumer;

    /** @param float $linger what is produced is sent so many seconds later */
    public function __construct(float $linger)
    {
        $this->library = FFI::cdef(self::HEADER, 'librdkafka.so.1');
        $this->producer = $this->create(self::PRODUCER, [
            'test.mock.num.brokers' => '1',
            'log_level' => '4', // warnings
            'linger.ms' => (string) (int) round($linger * 1000),
        ]);
        $cluster = $this->library->rd_kafka_handle_mock_cluster($this->producer);
        $this->consumer = $this->create(self::CONSUMER, [
            'bootstrap.servers' => $this->library->rd_kafka_mock_cluster_bootstraps($cluster),
            'group.id' => 'rows',
            'allow.auto.create.topics' => 'true',
            'auto.offset.reset' => 'earliest',
        ]);
        $list = $this->library->rd_kafka_topic_partition_list_new(1);
        $this->library->rd_kafka_topic_partition_list_add($list, 'topic', 0);
        $this->library->rd_kafka_topic_partition_list_set_offset($list, 'topic', 0, self::BEGINNING);
        $error = $this->library->rd_kafka_assign($this->consumer, $list);
        $this->library->rd_kafka_topic_partition_list_destroy($list);
        if ($error !== 0) {
            throw new RuntimeException("cannot assign: {$this->library->rd_kafka_err2name($error)}");
        }
    }

    public function __destruct()
    {
        $this->library->rd_kafka_consumer_close($this->consumer);
        $this->library->rd_kafka_destroy($this->consumer);
        $this->library->rd_kafka_destroy($this->producer);
    }

    public function produce(string $text): void
    {
        $topic = $this->library->rd_kafka_topic_new($this->producer, 'topic', null);
        $this->library->rd_kafka_produce($topic, 0, self::COPY, $text, strlen($text), null, 0, null);
        $this->library->rd_kafka_topic_destroy($topic);
    }

    /** Waits until all is sent; returns an error's name. */
    public function flush(float $limit): string
    {
        return $this->library->rd_kafka_err2name($this->library->rd_kafka_flush($this->producer, (int) round($limit * 1000)));
    }

    /** Waits for the next message; null when it does not come in time. */
    public function poll(float $limit): ?string
    {
        $message = $this->library->rd_kafka_consumer_poll($this->consumer, (int) round($limit * 1000));
        if ($message === null) {
            return null;
        }
        $text = FFI::string($message->payload, $message->len);
        $error = $message->err;
        $this->library->rd_kafka_message_destroy($message);

        return $error === 0 ? $text : "{$this->library->rd_kafka_err2name($error)}: $text";
    }

    /** @param array<string, string> $settings */
    private function create(int $type, array $settings): FFI\CData
    {
        $error = FFI::new('char[512]');
        $configuration = $this->library->rd_kafka_conf_new();
        foreach ($settings as $name => $value) {
            if ($this->library->rd_kafka_conf_set($configuration, $name, $value, $error, 512) !== 0) {
                throw new RuntimeException(FFI::string($error));
            }
        }

        return $this->library->rd_kafka_new($type, $configuration, $error, 512)
            ?? throw new RuntimeException(FFI::string($error));
    }
}
