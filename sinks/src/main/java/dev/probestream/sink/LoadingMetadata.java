package dev.probestream.sink;

import dev.probestream.sink.metadata.MetadataTopic;
import java.io.IOException;

/** Loads captures' metadata from its topic, until the sink is stopped or a topic no longer exists. */
final class LoadingMetadata implements CaptureMetadataSource {
    /** Ends a wait because a topic has changed; {@link TopicWatch#change} or the cause has the reason. */
    static final class TopicChangedException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        TopicChangedException(SinkException cause) {
            super(cause);
        }

        TopicChangedException() {
            super("a topic has changed", null, false, false);
        }
    }

    private final MetadataTopic topic;
    private final TopicWatch watch;
    private final WaitReports waits;
    private Runnable stopCheck = () -> {};

    LoadingMetadata(MetadataTopic topic, TopicWatch watch, WaitReports waits) {
        this.waits = waits;
        this.topic = topic;
        this.watch = watch;
    }

    /** @param stopCheck throws to give up */
    void setStopCheck(Runnable stopCheck) {
        this.stopCheck = stopCheck;
    }

    @Override
    public void load(long captureId) throws IOException {
        topic.load(captureId, this::checkWait);
    }

    @Override
    public void refuseIfNewer(long captureId) throws IOException {
        load(captureId);
        topic.store().refuseIfNewer(captureId);
    }

    @Override
    public long delivered(long captureId) throws IOException {
        return topic.delivered(captureId);
    }

    private void checkWait() {
        stopCheck.run();
        try {
            waits.check();
            if (watch.check().isPresent()) {
                throw new TopicChangedException();
            }
        } catch (SinkException e) {
            throw new TopicChangedException(e);
        }
    }
}
