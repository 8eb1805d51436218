package dev.probestream.collector.publish;

import dev.probestream.schema.EventEncoder;
import org.apache.avro.specific.SpecificRecord;

/**
 * The destination of a capture: {@link FilePublisher}, {@link KafkaPublisher}, an {@link EventHandler} (see {@link #of}),
 * or a class of one's own.
 *
 * <p>Called by one thread, the one in {@link dev.probestream.collector.Collector#run}; {@link #close} is called by the
 * owner, not by the collector. Every method may block; meanwhile the ring buffer is not read, fills up, and the probes
 * count the events that do not fit. The traced processes are not delayed. An exception ends the collection: {@code run}
 * throws it as it is, and calls no further method. A permanent failure is a {@link PublishException}.
 *
 * <p>The Capture is published first, each Probe before its events, CaptureEnd last; then {@link #complete} is called. A
 * Stack may come some time after the events that refer to it, and before the next Keyframe.
 */
public interface EventPublisher extends AutoCloseable {
    /**
     * A publisher that calls a handler for each event and record, and stores nothing.
     *
     * @param handler takes the events; called by the thread in {@code run}
     * @return the publisher, for one collection; closing it does nothing
     */
    static EventPublisher of(EventHandler handler) {
        return new HandlingPublisher(handler);
    }

    /**
     * Publishes an event. Its bytes are copied or written before this method returns.
     *
     * @param event a whole event; borrowed, its bytes change after this call
     * @throws PublishException if the destination accepts no more records
     */
    void publish(EventEncoder event);

    /**
     * Publishes a record of any other type.
     *
     * @param metadata any record but an Event; not changed afterwards. A Keyframe comes only to a publisher that {@link
     *     #takesKeyframes}
     * @throws PublishException if the destination accepts no more records
     */
    void publish(SpecificRecord metadata);

    /**
     * {@return whether what is published is kept and may be read from the middle: then Keyframes are published too, as often
     * as the {@link dev.probestream.collector.request.PieceLength} of the request says} By default not.
     */
    default boolean takesKeyframes() {
        return false;
    }

    /**
     * Writes buffered records out; called about once a second. A file then holds everything published so far, even if
     * this process is killed. Kafka's client sends by itself (its linger time is shorter), so nothing is awaited; this
     * method only throws if sending failed.
     *
     * @throws PublishException if the destination accepts no more records
     */
    void flush();

    /**
     * Waits until everything published is stored.
     *
     * @throws PublishException if it cannot be stored
     */
    void complete();

    /** {@return the number of bytes written or acknowledged, for a progress line} */
    long publishedBytes();

    /**
     * Releases all resources. Without {@link #complete}, records published since the last {@link #flush} may be lost.
     *
     * @throws PublishException if the last records cannot be written
     */
    @Override
    void close();
}
