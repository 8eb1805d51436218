package dev.probestream.collector.stack;

import dev.probestream.collector.event.Warnings;
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
 * The names in the {@link PerfMapFile} of one process: lines {@code START SIZE NAME}, in hexadecimal, to which the
 * process appends whenever it has generated code, and of which the last over an address holds. Only what was appended is
 * read again, a piece at a time: however long the file is, memory holds what is not covered by later lines, and of that
 * at most {@value #MAX_RANGES} pieces.
 */
final class PerfMap {
    /** Of a file that grew by more only the end is read: what was generated last. */
    static final long MAX_BYTES = 256L << 20;

    private static final int PIECE_BYTES = 1 << 20;
    private static final int MAX_RANGES = 250_000;
    /** Of all names together; those of V8 are some 60 characters long. */
    private static final int MAX_CHARACTERS = 32 << 20;
    /** Not through a link: the file lies where everybody may write. */
    private static final Set<OpenOption> READ = Set.of(StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS);

    private final Optional<PerfMapFile> file;
    private final String of;
    private final Warnings warnings;
    private RangeNames names = new RangeNames(MAX_RANGES, MAX_CHARACTERS);
    /** Up to here whole lines have been read. */
    private long position;

    private boolean isFresh;

    PerfMap(ProcessView process, Warnings warnings) {
        this.file = process.target().flatMap(target -> process.files().map(files -> PerfMapFile.of(target, files)));
        this.of = file.map(PerfMapFile::name).orElse("the perf map") + " of process " + process.pid();
        this.warnings = warnings;
    }

    /** Has the file be looked at again when the next name is asked for. */
    void refresh() {
        isFresh = false;
    }

    /** The name of what was generated last at this address, or "". */
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
                case MISSING -> position = 0; // has gone with the process; what was read stays
                case OLDER_THAN_PROCESS ->
                    warnings.add(of + " was written before that process began, by another one: not read");
                case OF_A_STRANGER ->
                    warnings.add(of + " belongs neither to that process's user nor to root, or is no regular file: not"
                            + " read");
            }
        } catch (NoSuchFileException e) {
            position = 0;
        } catch (IOException e) {
            warnings.add("generated code keeps no names: read " + of + ": " + e.getMessage());
        }
    }

    private void readAppended(Path path) throws IOException {
        try (FileChannel channel = FileChannel.open(path, READ)) {
            long size = channel.size();
            if (size < position) {
                position = 0; // written anew
                names = new RangeNames(MAX_RANGES, MAX_CHARACTERS);
            }
            if (size - position > MAX_BYTES) {
                warnings.add(of + " is longer than " + MAX_BYTES
                        + " bytes: only its end is read, code generated before keeps no names");
                position = size - MAX_BYTES;
            }
            readPieces(channel, size);
        }
        if (names.hasEvicted()) {
            warnings.add(of + " names more code than is kept (" + MAX_RANGES
                    + " pieces): what was generated first keeps no names");
        }
    }

    private void readPieces(FileChannel channel, long size) throws IOException {
        ByteBuffer piece = ByteBuffer.allocate((int) Math.min(PIECE_BYTES, size - position));
        while (position < size) {
            int count = channel.read(piece.clear(), position);
            int lineBytes = PerfMapLines.read(piece.flip(), names);
            if (lineBytes == 0 && piece.limit() < PIECE_BYTES) {
                return; // the last line is being written
            }
            position += lineBytes == 0 ? count : lineBytes; // a line longer than a piece is none
        }
    }
}
