package dev.probestream.collector.publish;

import dev.probestream.schema.EventEncoder;
import org.apache.avro.specific.SpecificRecord;

/**
 * The destination of a capture. Called by one thread. Every method may block; meanwhile the ring buffer is not read,
 * fills up, and the probes count the events that do not fit. A permanent failure is a {@link PublishException}.
 *
 * <p>The Capture is published first, each Probe before its events, CaptureEnd last; then {@link #complete} is called.
 */
public interface EventPublisher extends AutoCloseable {

    /** Publishes an event. Its bytes are copied or written before this method returns. */
    void publish(EventEncoder event);

    /** Publishes a record of any other type: Capture, Probe, Process, Thread, Stack, Clock, Loss or CaptureEnd. */
    void publish(SpecificRecord metadata);

    /**
     * Writes buffered records out; called about once a second. A file then holds everything published so far, even if
     * this process is killed. Kafka's client sends by itself (its linger time is shorter), so nothing is awaited; this
     * method only throws if sending failed.
     */
    void flush();

    /** Waits until everything published is stored. */
    void complete();

    /** The number of bytes written or acknowledged, for a progress line. */
    long publishedBytes();

    /**
     * Releases all resources. Without {@link #complete}, records published since the last {@link #flush} may be lost.
     */
    @Override
    void close();
}
