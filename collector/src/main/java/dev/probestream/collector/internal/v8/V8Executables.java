package dev.probestream.collector.internal.v8;

import dev.probestream.bpf.elf.ElfFile;
import dev.probestream.collector.internal.debugfile.DebugFiles;
import dev.probestream.collector.internal.process.FileId;
import dev.probestream.collector.internal.v8.layout.V8LayoutException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Reads each executable once: that takes 0.1 s for a Node.js. Safe for several threads. */
public final class V8Executables {
    /** Smaller files do not contain V8, whose code and data take some 40 MB. */
    private static final long MIN_SIZE_BYTES = 16 << 20;

    private final Map<FileId, Optional<V8Executable>> known = new HashMap<>();
    private final Set<String> refusals = new LinkedHashSet<>();
    private int taken;

    /**
     * The executable; empty if it does not contain V8, or not one whose functions can be named.
     *
     * @param shownPath as its process sees it
     * @param file a path that opens it
     */
    public synchronized Optional<V8Executable> of(String shownPath, Path file) {
        try {
            FileId id = FileId.of(file);
            Optional<V8Executable> executable = known.get(id);
            if (executable == null) {
                executable = Files.size(file) < MIN_SIZE_BYTES ? Optional.empty() : read(shownPath, file);
                known.put(id, executable);
                executable
                        .filter(found -> found.code().isEmpty())
                        .ifPresent(found -> refusals.add("stacks of JavaScript in " + shownPath
                                + " have no lines of calls and no inlined functions: " + found.codeObstacle()));
                executable
                        .filter(found -> found.async().isEmpty())
                        .ifPresent(found -> refusals.add("stacks of JavaScript in " + shownPath
                                + " have no async callers: " + found.asyncObstacle()));
            }
            return executable.map(found -> found.openedBy(file));
        } catch (IOException e) {
            return Optional.empty(); // the process has ended, or is not ours to look at
        }
    }

    /**
     * Begins to read executables on a thread of its own, for those who ask later.
     *
     * @param files paths that open them, by how their processes see them
     */
    public void readAhead(Map<String, Path> files) {
        Thread reader = new Thread(() -> files.forEach(this::of), "v8-executables");
        reader.setDaemon(true);
        reader.start();
    }

    private Optional<V8Executable> read(String shownPath, Path file) throws IOException {
        try (ElfFile elf = ElfFile.open(file, DebugFiles.of(shownPath, file, problem -> {}))) {
            return V8Executable.read(file, elf);
        } catch (V8LayoutException | IOException e) {
            if (!Files.exists(file)) {
                throw new IOException(file + " has gone, which says nothing of the executable", e);
            }
            refuse(shownPath, String.valueOf(e.getMessage()));
            return Optional.empty();
        }
    }

    /** Notes why the functions of an executable cannot be named. */
    synchronized void refuse(String shownPath, String reason) {
        refusals.add("JavaScript functions of " + shownPath + " have no names: " + reason);
    }

    /** Why functions have no names, a sentence for each executable; those that were not taken before. */
    public synchronized List<String> takeRefusals() {
        List<String> fresh = refusals.stream().skip(taken).toList();
        taken = refusals.size();
        return fresh;
    }
}
