package dev.probestream.collector.publish;

import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongConsumer;

/** What became of the events that were published to Kafka; can be read from any thread at any time. */
public final class PublishCounters {
    private final TopicProducer events;
    private final TopicProducer metadata;
    private final AtomicLong waitedNs = new AtomicLong();

    PublishCounters(TopicProducer events, TopicProducer metadata) {
        this.events = events;
        this.metadata = metadata;
    }

    /** Events that the brokers have acknowledged: as many of them keep it as the topic asks for. */
    public long acknowledgedEvents() {
        return events.acknowledged();
    }

    /** Keys and values of the acknowledged records of all kinds, before compression. */
    public long acknowledgedBytes() {
        return events.acknowledgedBytes() + metadata.acknowledgedBytes();
    }

    /** How long publishing was held up: by brokers that took less than there was, or owed an acknowledgement. */
    public long waitingNs() {
        return waitedNs.get() + events.waitingNs() + metadata.waitingNs();
    }

    /** Adds a wait that was not for room in a producer's memory. */
    void addWait(long durationNs) {
        waitedNs.addAndGet(durationNs);
    }

    /**
     * Has a listener told the time from publishing to acknowledgement of one event in 1024, in nanoseconds. It is called
     * on the thread of Kafka's client and must be quick.
     */
    public void setLatencyListener(LongConsumer latencyNs) {
        events.setLatencyListener(latencyNs);
    }
}
