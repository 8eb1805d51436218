package dev.probestream.collector.internal.stack;

import dev.probestream.collector.internal.event.Warnings;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import java.util.Set;

/**
 * The names in the {@link PerfMapFile} of one process: lines {@code START SIZE NAME}, in hexadecimal. The process
 * appends a line when it generates code; the last line that covers an address is valid. Later reads read only what was
 * appended, in chunks. Memory holds only ranges that no later line covers, at most {@value #MAX_RANGES}, however long
 * the file is.
 */
final class PerfMap {
    /** If the file grew by more than this, only its end is read: the code generated last. */
    static final long MAX_BYTES = 256L << 20;

    private static final int PIECE_BYTES = 1 << 20;
    private static final int MAX_RANGES = 250_000;
    /** Total length of all names; a name from V8 has about 60 characters. */
    private static final int MAX_CHARACTERS = 32 << 20;
    /** Does not follow symbolic links: the folder is world-writable. */
    private static final Set<OpenOption> READ = Set.of(StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS);

    private final Optional<PerfMapFile> file;
    private final String of;
    private final Warnings warnings;
    private RangeNames names = new RangeNames(MAX_RANGES, MAX_CHARACTERS);
    /** The end of the last complete line that was read. */
    private long position;

    private boolean isFresh;

    PerfMap(ProcessView process, Warnings warnings) {
        this.file = process.target().flatMap(target -> process.files().map(files -> PerfMapFile.of(target, files)));
        this.of = file.map(PerfMapFile::name).orElse("the perf map") + " of process " + process.pid();
        this.warnings = warnings;
    }

    /** Makes the next lookup check the file for appended lines. */
    void refresh() {
        isFresh = false;
    }

    /** The name of the code generated last at this address, or "". */
    String nameOf(long address) {
        if (!isFresh && file.isPresent()) {
            isFresh = true;
            readAppended(file.get());
        }
        return names.nameOf(address);
    }

    private void readAppended(PerfMapFile perfMap) {
        try {
            switch (perfMap.state()) {
                case OWN -> readAppended(perfMap.path());
                case MISSING -> position = 0; // deleted with the process; keep the names that were read
                case OLDER_THAN_PROCESS ->
                    warnings.add(of + " is not read: it was written before that process started, by another process");
                case OF_A_STRANGER ->
                    warnings.add(
                            of
                                    + " is not read: it belongs neither to that process's user nor to root, or is not a regular file");
            }
        } catch (NoSuchFileException e) {
            position = 0;
        } catch (IOException e) {
            warnings.add("generated code has no names: read " + of + ": " + e.getMessage());
        }
    }

    private void readAppended(Path path) throws IOException {
        try (FileChannel channel = FileChannel.open(path, READ)) {
            long size = channel.size();
            if (size < position) {
                position = 0; // truncated and written again
                names = new RangeNames(MAX_RANGES, MAX_CHARACTERS);
            }
            if (size - position > MAX_BYTES) {
                warnings.add(of + " is longer than " + MAX_BYTES
                        + " bytes: only its end is read; code generated earlier has no names");
                position = size - MAX_BYTES;
            }
            readPieces(channel, size);
        }
        if (names.hasEvicted()) {
            warnings.add(
                    of + " has more than the maximum of " + MAX_RANGES + " ranges: code generated first has no names");
        }
    }

    private void readPieces(FileChannel channel, long size) throws IOException {
        ByteBuffer piece = ByteBuffer.allocate((int) Math.min(PIECE_BYTES, size - position));
        while (position < size) {
            int count = channel.read(piece.clear(), position);
            int lineBytes = PerfMapLines.read(piece.flip(), names);
            if (lineBytes == 0 && piece.limit() < PIECE_BYTES) {
                return; // the last line is incomplete
            }
            position += lineBytes == 0 ? count : lineBytes; // skip a line longer than a chunk
        }
    }
}
