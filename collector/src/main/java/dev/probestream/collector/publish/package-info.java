/**
 * The way out of the collector: events already encoded and metadata records come in, bytes in a file or messages on
 * Kafka go out. publish() may block; that is the back-pressure into the ring buffer. Must not import anything of {@code bpf};
 * nobody else in the collector may import Kafka.
 */
package dev.probestream.collector.publish;
