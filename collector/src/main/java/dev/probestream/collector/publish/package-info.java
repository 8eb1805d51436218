/**
 * The way out of the collector: events already encoded and metadata records come in, bytes on disk (later: on Kafka) go
 * out. publish() may block; that is the back-pressure into the ring buffer. Must not import anything of {@code bpf}.
 */
package dev.probestream.collector.publish;
