package dev.probestream.sink.position;

/**
 * What the finished files of a partition hold of a capture that is not done.
 *
 * @param nextOffset its events below are in finished files, or were left out for good
 * @param nextSequence the sequence that its next event should have
 * @param nextMetadataOffset its losses below this offset of the metadata topic have been shown by a trace
 * @param lastPublishMs when the last event in a file was published, Unix time
 */
public record CapturePosition(
        long captureId, long nextOffset, long nextSequence, long nextMetadataOffset, long lastPublishMs) {}
