package dev.probestream.collector.resolve;

import dev.probestream.collector.resolve.ResolveException.Reason;
import java.io.IOException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Finds the file a spec means in one process: its executable, a path as it sees it, or a mapped library by its name.
 * What is mapped wins over what lies at its path now, since a package upgrade replaces files under running processes.
 */
final class FileFinder {
    private static final int MAX_NAMED_LIBRARIES = 12;

    private final Target target;
    private final ProcessFiles files;

    FileFinder(Target target) throws ResolveException {
        this.target = target;
        try {
            this.files = ProcessFiles.of(target.pid());
        } catch (IOException e) {
            throw failure("look at the file system of " + process(), e);
        }
    }

    /** {@code module} as in a spec: "" for the executable, else an absolute path or the name of a mapped file. */
    ProbedFile find(String module) throws ResolveException {
        if (module.isEmpty()) {
            return executable();
        }
        return module.indexOf('/') >= 0 ? atPath(module) : named(module);
    }

    /** The files from which the process may run code. */
    List<ProbedFile> mappedFiles() throws ResolveException {
        return target.maps().codeFiles().stream()
                .flatMap(range -> openable(range).stream())
                .toList();
    }

    private ProbedFile executable() throws ResolveException {
        Path running = target.executableFile();
        try {
            FileId id = FileId.of(running);
            // A plain path, if it is the same file: it outlives the process and reads better.
            return new ProbedFile(
                    target.executable(),
                    files.reachable(target.executable(), id.inode()).orElse(running),
                    id);
        } catch (IOException e) {
            throw failure("open the executable " + target.executable() + " of " + process(), e);
        }
    }

    private ProbedFile atPath(String path) throws ResolveException {
        if (!path.startsWith("/")) {
            throw new ResolveException(
                    Reason.NO_FILE,
                    "look for " + path + " in " + process()
                            + ": write a path from / on, as the process sees it, or a library's name without a slash");
        }
        String what = "open " + path + " as " + process() + " sees it";
        try {
            Path file = files.root().resolve(path);
            String seenAs = files.root().seenAs(file);
            Optional<MappedRange> mapped = target.maps().codeFiles().stream()
                    .filter(range -> range.path().equals(seenAs))
                    .findFirst();
            Optional<ProbedFile> running = mapped.flatMap(this::openable);
            return running.isPresent() ? running.get() : new ProbedFile(seenAs, file, FileId.of(file));
        } catch (IOException e) {
            throw failure(what, e);
        } catch (InvalidPathException e) {
            throw new ResolveException(Reason.NO_FILE, what + ": " + e.getReason(), e);
        }
    }

    private ProbedFile named(String name) throws ResolveException {
        List<MappedRange> mapped = target.maps().codeFiles();
        List<MappedRange> exact =
                mapped.stream().filter(range -> range.fileName().equals(name)).toList();
        List<MappedRange> found = exact.isEmpty()
                ? mapped.stream()
                        .filter(range -> LibraryName.matches(name, range.fileName()))
                        .toList()
                : exact;
        String what = "look for a library " + name + " in " + process() + ": ";
        if (found.isEmpty()) {
            throw new ResolveException(
                    Reason.NO_FILE,
                    what + "it has mapped no such file, only " + names(mapped)
                            + "; one that it loads later can be given by its path");
        }
        if (found.size() > 1) {
            throw new ResolveException(
                    Reason.NO_FILE,
                    what + "several files match, give the path of one: "
                            + found.stream().map(MappedRange::path).collect(Collectors.joining(", ")));
        }
        return openable(found.get(0))
                .orElseThrow(() -> new ResolveException(
                        Reason.NOT_PERMITTED,
                        what + found.get(0).path() + " was deleted or replaced, and only root (CAP_SYS_ADMIN or"
                                + " CAP_CHECKPOINT_RESTORE) can open what the process still holds"));
    }

    private Optional<ProbedFile> openable(MappedRange range) {
        try {
            Optional<Path> file = files.openable(range);
            return file.isPresent()
                    ? Optional.of(new ProbedFile(range.path(), file.get(), FileId.of(file.get())))
                    : Optional.empty();
        } catch (IOException e) {
            return Optional.empty(); // gone since it was looked at
        }
    }

    private String process() {
        return "process " + target.pid() + " (" + target.comm() + ")";
    }

    private static String names(List<MappedRange> mapped) {
        String first = mapped.stream()
                .limit(MAX_NAMED_LIBRARIES)
                .map(MappedRange::fileName)
                .collect(Collectors.joining(", "));
        return mapped.size() > MAX_NAMED_LIBRARIES ? first + " ..." : first;
    }

    private static ResolveException failure(String what, IOException e) {
        return ProcFile.isDenied(e)
                ? new ResolveException(
                        Reason.NOT_PERMITTED,
                        what + ": permission denied (run Probestream as root or with CAP_SYS_PTRACE)",
                        e)
                : new ResolveException(Reason.NO_FILE, what + ": " + ProcFile.words(e), e);
    }
}
