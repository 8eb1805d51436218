/**
 * Wires the steps of the collector: a {@link dev.probestream.collector.request.CollectionRequest} comes in, probes are resolved,
 * programs assembled, loaded and attached, the ring buffer is drained by one thread, and events go out through an {@link
 * dev.probestream.collector.publish.EventPublisher}. Must not import jnr-ffi or anything of the converters.
 */
package dev.probestream.collector;
