package dev.probestream.convert.merge;

import dev.probestream.convert.merge.packet.PacketTracks;
import dev.probestream.convert.merge.track.TraceKind;
import java.nio.file.Path;

/**
 * A file that was read once.
 *
 * @param elements as many events or packets as it had then; a file that is still written may have more
 * @param tracks those of Perfetto's; empty for JSON
 */
record MergedFile(Path file, TraceKind kind, long elements, PacketTracks tracks) {}
