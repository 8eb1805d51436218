package dev.probestream.sink.metadata;

import java.nio.file.Path;

/**
 * A recording of a capture's metadata, without its events.
 *
 * @param nextMetadataOffset the losses, sums, gaps and costs in it were below this offset of the metadata topic
 * @param earliestNs the earliest start of those, CLOCK_MONOTONIC; {@link Long#MAX_VALUE} = there are none
 * @param latestNs the latest end of those; {@link Long#MIN_VALUE} = there are none
 */
public record MetadataRecording(Path path, long nextMetadataOffset, long earliestNs, long latestNs) {}
