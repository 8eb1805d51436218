package dev.probestream.sink;

import dev.probestream.sink.metadata.MetadataStore;

/** Tells the listener of messages in the metadata topic that are none of ours. */
final class UnreadableMetadata implements MetadataStore.UnreadableMessages {
    private final SinkListener listener;
    private boolean isSaid;

    UnreadableMetadata(SinkListener listener) {
        this.listener = listener;
    }

    @Override
    public void unreadable(long offset, String reason) {
        listener.unreadableMetadata(offset, reason, !isSaid);
        isSaid = true;
    }
}
