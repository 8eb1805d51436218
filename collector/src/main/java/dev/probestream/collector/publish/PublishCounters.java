package dev.probestream.collector.publish;

import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongConsumer;

/** Counters of the events published to Kafka; can be read from any thread. */
public final class PublishCounters {
    private final TopicProducer events;
    private final TopicProducer metadata;
    private final AtomicLong waitedNs = new AtomicLong();

    PublishCounters(TopicProducer events, TopicProducer metadata) {
        this.events = events;
        this.metadata = metadata;
    }

    /** {@return the number of events that the brokers acknowledged, with all replicas that the topic requires} */
    public long acknowledgedEvents() {
        return events.acknowledged();
    }

    /** {@return the size of the keys and values of all acknowledged records, before compression} */
    public long acknowledgedBytes() {
        return events.acknowledgedBytes() + metadata.acknowledgedBytes();
    }

    /** {@return the time that publishing was blocked, by brokers that were too slow or by missing acknowledgements} */
    public long waitingNs() {
        return waitedNs.get() + events.waitingNs() + metadata.waitingNs();
    }

    /** Adds waiting time that was not for free space in a producer's buffer. */
    void addWait(long durationNs) {
        waitedNs.addAndGet(durationNs);
    }

    /**
     * Sets a listener for the time from publishing to acknowledgement, in nanoseconds, of one event in 1024. The
     * listener is called on the thread of Kafka's client and must not block.
     *
     * @param latencyNs called with nanoseconds
     */
    public void setLatencyListener(LongConsumer latencyNs) {
        events.setLatencyListener(latencyNs);
    }
}
