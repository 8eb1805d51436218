package dev.probestream.collector.publish;

import dev.probestream.schema.EventEncoder;
import org.apache.avro.specific.SpecificRecord;

/**
 * Where a capture goes. Called by one thread. Every method may block: nothing is read from the ring buffer meanwhile, it
 * fills, and the probes count what they had to refuse. What the medium refuses for good is a {@link PublishException}.
 */
public interface EventPublisher extends AutoCloseable {

    /** Takes the event that {@code event} holds; its bytes are copied or written before this returns. */
    void publish(EventEncoder event);

    /** Takes a record of any other kind: Capture, Probe, Process, Thread, Stack, Clock, Loss or CaptureEnd. */
    void publish(SpecificRecord metadata);

    /** Makes what was published so far survive the death of this process, as far as the medium can. */
    void flush();

    /** Bytes that have left for the medium; for a progress line. */
    long publishedBytes();

    @Override
    void close();
}
