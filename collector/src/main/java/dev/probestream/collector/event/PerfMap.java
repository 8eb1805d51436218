package dev.probestream.collector.event;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;

/**
 * The /tmp/perf-PID.map of one process (tools/perf/Documentation/jit-interface.txt of Linux): lines {@code START SIZE
 * NAME}, in hexadecimal, to which the process appends whenever it has generated code, and of which the last over an
 * address holds. PID is the number the process has in its own pid namespace. Only what was appended is read again.
 */
final class PerfMap {
    /** Of a file that grew by more only the end is read: what was generated last. */
    private static final int MAX_BYTES = 32 << 20;

    private static final String FOLDER = "/tmp";
    private static final int MAX_RANGES = 250_000;
    /** Not through a link: the file lies where everybody may write. */
    private static final Set<OpenOption> READ = Set.of(StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS);

    private final ProcessView process;
    private final String fileName;
    private final Notices notices;
    private RangeNames names = new RangeNames();
    /** Up to here whole lines have been read. */
    private long position;

    private boolean isFresh;

    PerfMap(ProcessView process, Notices notices) {
        this.process = process;
        this.fileName = "perf-" + process.namespacePid() + ".map";
        this.notices = notices;
    }

    /** Has the file be looked at again when the next name is asked for. */
    void refresh() {
        isFresh = false;
    }

    /** The name of what was generated last at this address, or "". */
    String nameOf(long address) {
        if (!isFresh) {
            isFresh = true;
            readAppended();
        }
        return names.nameOf(address);
    }

    private void readAppended() {
        if (process.files().isEmpty()) {
            return; // had gone before we could look
        }
        try {
            Path file = process.files().get().root().resolve(FOLDER).resolve(fileName);
            if (Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
                readAppended(file);
            }
        } catch (NoSuchFileException e) {
            position = 0; // has gone with the process; what was read stays
        } catch (IOException e) {
            notices.say("generated code of process " + process.pid() + " keeps no names: read " + FOLDER + "/"
                    + fileName + ": " + e.getMessage());
        }
    }

    private void readAppended(Path file) throws IOException {
        try (FileChannel channel = FileChannel.open(file, READ)) {
            long size = channel.size();
            if (size < position) {
                position = 0; // written anew
                names = new RangeNames();
            }
            if (size - position > MAX_BYTES) {
                notices.say(fileName + " of process " + process.pid() + " is longer than " + MAX_BYTES
                        + " bytes: only its end is read, code generated before keeps no names");
                position = size - MAX_BYTES;
            }
            ByteBuffer appended = ByteBuffer.allocate((int) (size - position));
            int count = 0;
            while (appended.hasRemaining() && count >= 0) {
                count = channel.read(appended, position + appended.position());
            }
            position += PerfMapLines.read(appended.flip(), names);
            if (names.count() > MAX_RANGES) {
                notices.say(fileName + " of process " + process.pid() + " names more than " + MAX_RANGES
                        + " pieces of code: begun anew");
                names = new RangeNames();
            }
        }
    }
}
