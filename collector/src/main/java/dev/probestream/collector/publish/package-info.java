/**
 * Publishes captures. Input: encoded events and metadata records. Output: bytes in a file or messages in Kafka.
 * publish() may block; this is the back-pressure into the ring buffer. Must not import {@code bpf}; no other package of
 * the collector may import Kafka.
 */
package dev.probestream.collector.publish;
