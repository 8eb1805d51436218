package dev.probestream.collector.publish;

import dev.probestream.schema.EventEncoder;
import org.apache.avro.specific.SpecificRecord;

/**
 * Where a capture goes. Called by one thread. Every method may block: nothing is read from the ring buffer meanwhile, it
 * fills, and the probes count what they had to refuse. What the medium refuses for good is a {@link PublishException}.
 *
 * <p>The Capture is published first, a Probe before its events, CaptureEnd last; then {@link #complete} is called.
 */
public interface EventPublisher extends AutoCloseable {

    /** Takes the event that {@code event} holds; its bytes are copied or written before this returns. */
    void publish(EventEncoder event);

    /** Takes a record of any other kind: Capture, Probe, Process, Thread, Stack, Clock, Loss or CaptureEnd. */
    void publish(SpecificRecord metadata);

    /**
     * Lets nothing lie about in this process; called about once a second. A file gets what was published so far, and a
     * kill does not touch it any more. To Kafka everything is on its way already (its linger is shorter), so nothing is
     * waited for: this only notices when that failed.
     */
    void flush();

    /** Waits until the medium has all that was published. */
    void complete();

    /** Bytes that have left for the medium; for a progress line. */
    long publishedBytes();

    /** Gives back what is held. What was published since the last {@link #flush} may be lost without {@link #complete}. */
    @Override
    void close();
}
