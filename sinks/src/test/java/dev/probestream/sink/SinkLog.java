package dev.probestream.sink;

import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;

/** Collects the reports of a sink; any thread may read them. */
final class SinkLog implements SinkListener {
    final List<String> lines = new CopyOnWriteArrayList<>();
    final List<FinishedSegment> finished = new CopyOnWriteArrayList<>();
    final List<SinkWait> waits = new CopyOnWriteArrayList<>();
    volatile long eventsRead;

    @Override
    public void assigned(Set<Integer> partitions) {
        lines.add("assigned " + partitions);
    }

    @Override
    public void revoked(Set<Integer> partitions, long droppedEvents) {
        lines.add("revoked " + partitions);
    }

    @Override
    public void finished(FinishedSegment segment) {
        finished.add(segment);
        lines.add("finished " + segment.files());
    }

    @Override
    public void waiting(SinkWait reason, String message) {
        waits.add(reason);
        lines.add("waiting: " + message);
    }

    @Override
    public void resumed(SinkWait reason) {
        lines.add("resumed: " + reason);
    }

    @Override
    public void duplicates(int partition, long captureId, long count) {
        lines.add("duplicates " + captureId + " " + count);
    }

    @Override
    public void gap(int partition, long captureId, long firstSequence, long count) {
        lines.add("gap " + captureId + " " + firstSequence + " " + count);
    }

    @Override
    public void unreadable(int partition, long offset, String reason) {
        lines.add("unreadable " + offset + " " + reason);
    }

    @Override
    public void unreadableMetadata(long offset, String reason, boolean isFirst) {
        lines.add("unreadable metadata " + isFirst + " " + reason);
    }

    @Override
    public void lostToRetention(int partition, long fromOffset, long toOffset) {
        lines.add("lost " + fromOffset + " " + toOffset);
    }

    @Override
    public void metadataRemoved(long records) {
        lines.add("removed " + records);
    }

    @Override
    public void metadataNotRemoved(String reason) {
        lines.add("not removed " + reason);
    }

    @Override
    public void progress(SinkProgress progress) {
        eventsRead = progress.eventsRead();
    }
}
