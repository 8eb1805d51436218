package dev.probestream.collector.internal.debugfile;

import dev.probestream.bpf.elf.DebugFileSearch;
import dev.probestream.bpf.elf.DebugLink;
import dev.probestream.bpf.elf.ElfFile;
import dev.probestream.bpf.proc.ProcFile;
import dev.probestream.collector.internal.process.TargetRoot;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.zip.CRC32;

/**
 * Searches for the debug file of one stripped file where GDB does ("Debugging Information in Separate Files"), each
 * place in the file system of the process first and then in this one:
 *
 * <ol>
 *   <li>/usr/lib/debug/.build-id/AB/CDEF.debug, if the file has the build id ABCDEF;
 *   <li>the name in .gnu_debuglink beside the file, in .debug/ beside it, and in /usr/lib/debug/FOLDER;
 *   <li>the compressed symbols in .gnu_debugdata of the file itself.
 * </ol>
 *
 * <p>A debug file is used if both files have the same build id; if one of them has no build id, the file's checksum
 * must be that of .gnu_debuglink. A file that does not fit, or is damaged, is passed over with a problem.
 */
public final class DebugFiles implements DebugFileSearch {
    private static final String GLOBAL_FOLDER = "/usr/lib/debug";
    private static final int MIN_BUILD_ID_DIGITS = 4;
    /** Larger than a path of the kernel: a build id is 16 or 20 bytes in practice. */
    private static final int MAX_BUILD_ID_DIGITS = 512;

    private final List<TargetRoot> roots;
    private final String folder;
    private final String shownPath;
    private final Consumer<String> problems;

    private DebugFiles(List<TargetRoot> roots, String shownPath, Consumer<String> problems) {
        this.roots = roots;
        this.shownPath = shownPath;
        this.folder = shownPath.substring(0, Math.max(0, shownPath.lastIndexOf('/')));
        this.problems = problems;
    }

    /**
     * @param shownPath the stripped file as its process sees it; absolute, without symbolic links
     * @param file a path that opens it; one in /proc/PID means that the file system of that process is searched, too
     * @param problems receives a sentence for the user about each debug file that cannot be used
     */
    public static DebugFiles of(String shownPath, Path file, Consumer<String> problems) {
        List<TargetRoot> roots = new ArrayList<>();
        ProcFile.pidOf(file).ifPresent(pid -> {
            try {
                roots.add(TargetRoot.of(pid));
            } catch (IOException e) {
                // The process has exited: its file system is gone with it.
            }
        });
        if (roots.stream().noneMatch(TargetRoot::isOurs)) {
            roots.add(TargetRoot.ours());
        }
        return new DebugFiles(roots, shownPath, problems);
    }

    @Override
    public Optional<ElfFile> find(ElfFile stripped) {
        try {
            Optional<String> buildId = stripped.buildId();
            Optional<ElfFile> found = byBuildId(buildId);
            if (found.isEmpty()) {
                found = byLink(buildId, stripped.debugLink());
            }
            return found.isPresent() ? found : compressed(stripped, buildId);
        } catch (IOException e) {
            problems.accept("the debug file of " + shownPath + " was not looked for: " + e.getMessage());
            return Optional.empty();
        }
    }

    private Optional<ElfFile> byBuildId(Optional<String> buildId) {
        if (buildId.isEmpty()
                || buildId.get().length() < MIN_BUILD_ID_DIGITS
                || buildId.get().length() > MAX_BUILD_ID_DIGITS) {
            return Optional.empty();
        }
        String id = buildId.get();
        String path = GLOBAL_FOLDER + "/.build-id/" + id.substring(0, 2) + "/" + id.substring(2) + ".debug";
        return at(path, buildId, Optional.empty());
    }

    private Optional<ElfFile> byLink(Optional<String> buildId, Optional<DebugLink> link) {
        if (link.isPresent()) {
            for (String place : List.of(folder, folder + "/.debug", GLOBAL_FOLDER + folder)) {
                Optional<ElfFile> found = at(place + "/" + link.get().fileName(), buildId, link);
                if (found.isPresent()) {
                    return found;
                }
            }
        }
        return Optional.empty();
    }

    private Optional<ElfFile> at(String path, Optional<String> buildId, Optional<DebugLink> link) {
        for (TargetRoot root : roots) {
            try {
                Path file = root.resolve(path);
                if (Files.exists(file)) {
                    return Optional.of(checked(file, ElfFile.open(file), buildId, link));
                }
            } catch (InvalidPathException e) {
                return Optional.empty(); // a name that Java cannot represent
            } catch (IOException e) {
                problems.accept("debug file " + path + " of " + shownPath + " was not used: " + ProcFile.reason(e));
            }
        }
        return Optional.empty();
    }

    private Optional<ElfFile> compressed(ElfFile stripped, Optional<String> buildId) {
        try {
            Optional<ElfFile> symbols = CompressedSymbols.read(stripped);
            if (symbols.isEmpty()) {
                return symbols;
            }
            Optional<String> found = symbols.get().buildId();
            if (found.isPresent() && !found.equals(buildId)) {
                throw new IOException(
                        "its build id is " + found.get() + ", the file's is " + buildId.orElse("missing"));
            }
            symbols.get().functionCount();
            return symbols;
        } catch (IOException e) {
            problems.accept(CompressedSymbols.SECTION + " of " + shownPath + " was not used: " + e.getMessage());
            return Optional.empty();
        }
    }

    /** The open file, if it is the debug file and its symbols can be read; else it is closed. */
    private static ElfFile checked(Path file, ElfFile debug, Optional<String> buildId, Optional<DebugLink> link)
            throws IOException {
        try {
            Optional<String> found = debug.buildId();
            if (found.isPresent() && buildId.isPresent()) {
                if (!found.equals(buildId)) {
                    throw new IOException("its build id is " + found.get() + ", not " + buildId.get());
                }
            } else if (link.isEmpty()) {
                throw new IOException("it has no build id");
            } else if (crc32(file) != link.get().crc32()) {
                throw new IOException("its checksum is not that in .gnu_debuglink");
            }
            debug.functionCount();
            return debug;
        } catch (IOException | RuntimeException e) {
            debug.close();
            throw e;
        }
    }

    private static int crc32(Path file) throws IOException {
        CRC32 crc = new CRC32();
        byte[] block = new byte[1 << 16];
        try (InputStream in = Files.newInputStream(file)) {
            for (int count = in.read(block); count >= 0; count = in.read(block)) {
                crc.update(block, 0, count);
            }
        }
        return (int) crc.getValue();
    }
}
